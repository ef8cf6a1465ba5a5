import createCore from '#core';
import { PackedError, requireOneOf } from './errors.js';
import { PackedWeights } from './packed-weights.js';
import { acceptsRelaxedSimd, compile } from './wasm-source.js';

/** @typedef {'simd128' | 'relaxed'} Built what a module is built for */
/** @typedef {'scalar' | Built} Isa */

/**
 * @typedef {object} LoadOptions
 * @property {'auto' | Isa} [isa] `auto` takes the relaxed module where this engine has relaxed SIMD and its
 *   kernels compute there what the scalar ones do, else the simd128 one. `scalar` is the simd128 module with its
 *   scalar kernels only: the specification, slow, to compare others with
 * @property {import('./wasm-source.js').WasmSource} [wasm] the module to use instead of the package's own;
 *   its instruction set must be the one that `isa` names (simd128 when `auto`)
 */

/** @type {Record<Built, () => URL>} */
const ownWasm = {
  simd128: () => new URL('./simd128.wasm', import.meta.url),
  relaxed: () => new URL('./relaxed.wasm', import.meta.url),
};

/** @type {Map<string, Promise<PackedWeights>>} */
const loaded = new Map();

/**
 * Loads the WebAssembly module, once: a second call with the same `isa` gives the same object.
 *
 * @param {LoadOptions} [options]
 * @returns {Promise<PackedWeights>}
 * @throws {PackedError} LOAD_FAILED when the module cannot be fetched, or when a forced `isa` does not run here
 */
export function load({ isa = 'auto', wasm } = {}) {
  return loadWith(isa, wasm, ownWasm);
}

/**
 * @param {'auto' | Isa} isa
 * @param {import('./wasm-source.js').WasmSource | undefined} wasm
 * @param {Record<Built, () => import('./wasm-source.js').WasmSource>} sources
 */
export async function loadWith(isa, wasm, sources) {
  requireOneOf('isa', isa, /** @type {const} */ (['auto', 'scalar', 'simd128', 'relaxed']));
  if (wasm !== undefined) return start(isa === 'auto' ? 'simd128' : isa, wasm);
  let promise = loaded.get(isa);
  if (!promise) {
    promise =
      isa === 'auto'
        ? startBest(sources)
        : start(isa, sources[isa === 'scalar' ? 'simd128' : isa]());
    loaded.set(isa, promise);
    // A failed load may be tried again, when the network is back.
    promise.catch(() => loaded.delete(isa));
  }
  return promise;
}

/** @param {Record<Built, () => import('./wasm-source.js').WasmSource>} sources */
async function startBest(sources) {
  if (!relaxedMayBeTried()) {
    return start('simd128', sources.simd128(), 'this engine has no usable relaxed SIMD');
  }
  const relaxed = await instantiate(sources.relaxed());
  const wrong = relaxed.selfCheck();
  if (wrong === '') return new PackedWeights(relaxed, 'relaxed', 'it passed its self-check here');
  return start('simd128', sources.simd128(), `relaxed kernels compute wrong values here: ${wrong}`);
}

/**
 * @param {Isa} isa
 * @param {import('./wasm-source.js').WasmSource} source
 * @param {string} [reason]
 */
async function start(isa, source, reason = 'it was asked for') {
  if (isa === 'relaxed' && !relaxedMayBeTried()) {
    throw new PackedError(
      'LOAD_FAILED',
      "This engine has no usable relaxed SIMD: use isa 'simd128', or 'auto' to take the best there is",
    );
  }
  const core = await instantiate(source);
  if (isa === 'scalar') {
    core.limitKernels(isa);
    return new PackedWeights(core, isa, reason);
  }
  if (core.isa() !== isa) {
    throw new PackedError('LOAD_FAILED', `The module given is ${core.isa()}, not ${isa}`, {
      expected: isa,
      actual: core.isa(),
    });
  }
  const wrong = core.selfCheck();
  if (wrong !== '') {
    throw new PackedError(
      'LOAD_FAILED',
      `The ${isa} kernels compute wrong values in this engine (${wrong}): use another isa`,
    );
  }
  return new PackedWeights(core, isa, reason);
}

/** @param {import('./wasm-source.js').WasmSource} source */
async function instantiate(source) {
  try {
    const module = await compile(source);
    return await new Promise((resolve, reject) => {
      createCore({
        instantiateWasm(imports, done) {
          WebAssembly.instantiate(module, imports).then(
            (instance) => done(instance, module),
            reject,
          );
          return {};
        },
      }).then(resolve, reject);
    });
  } catch (cause) {
    if (cause instanceof PackedError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new PackedError('LOAD_FAILED', `The WebAssembly module could not be started: ${text}`, {
      cause,
    });
  }
}

// V8 before 11.4 accepts relaxed SIMD behind a flag, and its first compiling tier gets the dot product
// wrong, so that a self-check may meet the right tier and users the wrong one.
function relaxedMayBeTried() {
  const v8 = globalThis.process?.versions?.v8;
  if (v8 !== undefined) {
    const [major, minor] = v8.split('.').map(Number);
    if (major < 11 || (major === 11 && minor < 4)) return false;
  }
  return acceptsRelaxedSimd();
}
