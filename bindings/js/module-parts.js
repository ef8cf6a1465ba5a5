import createCore from '#core';
import { PackedError } from './errors.js';
import { failing } from './load-failed.js';
import { compile } from './wasm-source.js';

/** @typedef {import('./wasm-source.js').WasmSource} WasmSource */

/**
 * A module comes in parts that share its memory, so that nobody waits for code that is not needed yet.
 * @typedef {object} Parts
 * @property {WasmSource} first what multiplies: NAME.wasm
 * @property {WasmSource} [tools] what quantizes, proves and diagnoses, loaded beside it: NAME.tools.wasm
 * @property {WasmSource} [files] what reads and checks GGUF files, loaded with the first file: NAME.files.wasm
 */

/**
 * Starts a module. The core that it gives has `loadFiles()`, which is to be awaited before GGUF files are read.
 * @param {Parts} parts
 * @returns {Promise<any>}
 */
export function instantiate({ first, tools, files }) {
  return failing(async () => {
    const modules = await Promise.all([compile(first), compile(/** @type {WasmSource} */ (tools))]);
    /** @type {WebAssembly.Instance} */
    let instance;
    const add = async (/** @type {WebAssembly.Module} */ part) => {
      requireSameBuild(modules[0], part);
      await WebAssembly.instantiate(part, { first: instance.exports });
    };
    const core = await new Promise((resolve, reject) => {
      createCore({
        instantiateWasm(imports, done) {
          WebAssembly.instantiate(modules[0], imports)
            .then((started) => {
              instance = started;
              return add(modules[1]);
            })
            .then(() => done(instance, modules[0]))
            .catch(reject);
          return {};
        },
      }).then(resolve, reject);
    });
    core.loadFiles = once(() =>
      failing(async () => add(await compile(/** @type {any} */ (files)))),
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
  const bytes = section ? [...new Uint8Array(section)] : [];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
