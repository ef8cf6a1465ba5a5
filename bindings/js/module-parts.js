import createCore from '#core';
import { PackedError } from './errors.js';
import { foreign, outOfMemory } from './heap.js';
import { failing } from './load-failed.js';
import { compile } from './wasm-source.js';

/** @typedef {import('./wasm-source.js').WasmSource} WasmSource */

/**
 * A module comes in parts that share its memory, so that nobody waits for code that is not needed yet.
 * @typedef {object} Parts
 * @property {WasmSource} first what multiplies: NAME.wasm
 * @property {WasmSource} [columns] what multiplies by two or three columns at once, loaded with the tools: NAME.columns.wasm
 * @property {WasmSource} [tools] what quantizes, proves and diagnoses, loaded beside it or later: NAME.tools.wasm
 * @property {WasmSource} [files] what reads and checks GGUF files, loaded with the first file: NAME.files.wasm
 */

/**
 * Starts a module's first part. The core that it gives has `loadTools()` and `loadFiles()`, each to be awaited
 * before that part's functions are called.
 * @param {Parts} parts
 * @param {boolean} withTools whether the tools are fetched meanwhile, and not only when they are asked for
 * @returns {Promise<any>}
 */
export function instantiate(parts, withTools) {
  const compiled = (/** @type {(keyof Parts)[]} */ ...names) =>
    Promise.all(names.map(async (name) => compile(/** @type {WasmSource} */ (parts[name]))));
  return failing(async () => {
    let fetched = withTools ? compiled('tools', 'columns') : undefined;
    // A failure shows where it is waited for; who asks again fetches again.
    fetched?.catch(() => (fetched = undefined));
    const module = await compile(parts.first);
    /** @type {WebAssembly.Instance} */
    let instance;
    const core = await new Promise((resolve, reject) => {
      createCore({
        /** @param {number} size */
        outOfMemory(size) {
          throw outOfMemory(size, 'a text');
        },
        foreign() {
          throw foreign();
        },
        instantiateWasm(imports, done) {
          WebAssembly.instantiate(module, imports)
            .then((started) => done((instance = started), module))
            .catch(reject);
          return {};
        },
      }).then(resolve, reject);
    });
    const adding = (/** @type {() => Promise<WebAssembly.Module[]>} */ parts) =>
      once(() =>
        failing(async () => {
          for (const part of await parts()) {
            requireSameBuild(module, part);
            await WebAssembly.instantiate(part, { first: instance.exports });
          }
        }),
      );
    core.loadTools = adding(() => fetched ?? compiled('tools', 'columns'));
    // What reads files calls the tools.
    core.loadFiles = adding(() =>
      Promise.all([compiled('files'), core.loadTools()]).then(([parts]) => parts),
    );
    return core;
  });
}

/**
 * The same promise for everybody; what failed may be tried again, when the network is back.
 * @param {() => Promise<void>} work
 */
function once(work) {
  /** @type {Promise<void> | undefined} */
  let promise;
  return () => {
    promise ??= work();
    promise.catch(() => (promise = undefined));
    return promise;
  };
}

// Parts find each other's functions by number: those of another build would run the wrong ones.
/**
 * @param {WebAssembly.Module} first
 * @param {WebAssembly.Module} part
 */
function requireSameBuild(first, part) {
  const [expected, actual] = [first, part].map(buildOf);
  if (expected === actual && expected !== '') return;
  throw new PackedError(
    'LOAD_FAILED',
    'The parts of the WebAssembly module are of different builds: serve the .wasm files of one version of the package, and let no cache keep older ones',
    { expected, actual },
  );
}

/** @param {WebAssembly.Module} module */
function buildOf(module) {
  const [section] = WebAssembly.Module.customSections(module, 'packed-weights.build');
  return String(new Uint8Array(section));
}
