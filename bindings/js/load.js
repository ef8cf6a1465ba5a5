import createCore from '#core';
import { isPlain, requireOptions } from './arguments.js';
import { PackedError, requireOneOf } from './errors.js';
import { PackedWeights } from './packed-weights.js';
import { instantiate } from './module-parts.js';
import { acceptsRelaxedSimd } from './wasm-source.js';

/** @typedef {'simd128' | 'relaxed'} Built what a module is built for */
/** @typedef {'scalar' | Built} Isa */

/**
 * @typedef {object} LoadOptions
 * @property {'auto' | Isa} [isa] `auto` takes the relaxed module where this engine has relaxed SIMD and its
 *   kernels compute there what the scalar ones do, else the simd128 one. `scalar` is the simd128 module with its
 *   scalar kernels only: the specification, slow, to compare others with
 * @property {boolean} [tools] false leaves out what quantizes, proves, diagnoses and writes, more than half
 *   of what is fetched: weights are packed, viewed, relaid, decoded and multiplied at once, and what needs the rest (see
 *   `pw.loadTools`) throws LOAD_FAILED; a few columns are multiplied one after the other, with the same result.
 *   Opening a file fetches it as well
 * @property {import('./wasm-source.js').WasmSource | import('./module-parts.js').Parts} [wasm] the module to use
 *   instead of the package's own, or all of its parts; its instruction set must be the one that `isa` names
 *   (simd128 when `auto`). Parts that are not given are the package's own, of the same build
 */

/** @typedef {Record<Built, import('./module-parts.js').Parts>} Modules */

// Looked for when they are needed: where a bundler leaves no import.meta.url there is no place to look for those that
// are not given.
/** @type {Modules} */
const ownModules = {
  simd128: {
    get first() {
      return new URL('./simd128.wasm', import.meta.url);
    },
    get columns() {
      return new URL('./simd128.columns.wasm', import.meta.url);
    },
    get tools() {
      return new URL('./simd128.tools.wasm', import.meta.url);
    },
    get files() {
      return new URL('./simd128.files.wasm', import.meta.url);
    },
  },
  relaxed: {
    get first() {
      return new URL('./relaxed.wasm', import.meta.url);
    },
    get columns() {
      return new URL('./relaxed.columns.wasm', import.meta.url);
    },
    get tools() {
      return new URL('./relaxed.tools.wasm', import.meta.url);
    },
    get files() {
      return new URL('./relaxed.files.wasm', import.meta.url);
    },
  },
};

/** @type {Map<string, Promise<PackedWeights>>} */
const loaded = new Map();

/**
 * Loads the WebAssembly module, once: a second call with the same `isa` gives the same object, with its tools
 * where either call wanted them.
 *
 * @param {LoadOptions} [options]
 * @returns {Promise<PackedWeights>}
 * @throws {PackedError} LOAD_FAILED when the module cannot be fetched or compiled, or when a forced `isa` does not run here
 */
export function load(options) {
  return loadWith(options, ownModules);
}

/**
 * @param {LoadOptions | undefined} options
 * @param {Modules} modules
 */
export async function loadWith(options, modules) {
  const {
    isa = 'auto',
    tools = true,
    wasm,
  } = requireOptions(options, { isa: '', tools: 'boolean', wasm: 'object' });
  // Fetched meanwhile; a failure shows where it is waited for.
  if (tools) import('./tools.js').catch(() => {});
  const pw = await started(isa, tools, wasm, modules);
  if (tools) await pw.loadTools();
  return pw;
}

/**
 * @param {'auto' | Isa} isa
 * @param {boolean} tools
 * @param {LoadOptions['wasm']} wasm
 * @param {Modules} modules
 * @returns {Promise<PackedWeights>}
 */
async function started(isa, tools, wasm, modules) {
  requireOneOf('isa', isa, /** @type {const} */ (['auto', 'scalar', 'simd128', 'relaxed']));
  const built = isa === 'auto' || isa === 'scalar' ? 'simd128' : isa;
  if (wasm !== undefined) {
    const given = isParts(wasm)
      ? requireOptions(
          wasm,
          { first: 'object', columns: 'object', tools: 'object', files: 'object' },
          'wasm',
        )
      : { first: wasm };
    const parts = { __proto__: modules[built], ...given };
    return start(isa === 'auto' ? built : isa, parts, tools);
  }
  let promise = loaded.get(isa);
  if (!promise) {
    promise = isa === 'auto' ? startBest(modules, tools) : start(isa, modules[built], tools);
    loaded.set(isa, promise);
    // A failed load may be tried again, when the network is back.
    promise.catch(() => loaded.delete(isa));
  }
  return promise;
}

/** @param {{}} wasm @returns {wasm is import('./module-parts.js').Parts} */
const isParts = (wasm) => isPlain(wasm);

/**
 * @param {Modules} modules
 * @param {boolean} tools
 */
async function startBest({ relaxed, simd128 }, tools) {
  if (!relaxedMayBeTried()) {
    return start('simd128', simd128, tools, 'this engine has no usable relaxed SIMD');
  }
  const core = await instantiate(relaxed, tools);
  const wrong = core.selfCheck();
  if (wrong === '') return new PackedWeights(core, 'relaxed', 'it passed its self-check here');
  return start('simd128', simd128, tools, `relaxed kernels failed their self-check here: ${wrong}`);
}

/**
 * @param {Isa} isa
 * @param {import('./module-parts.js').Parts} parts
 * @param {boolean} tools
 * @param {string} [reason]
 */
async function start(isa, parts, tools, reason = 'it was asked for') {
  if (isa === 'relaxed' && !relaxedMayBeTried()) {
    throw new PackedError(
      'LOAD_FAILED',
      "This engine has no usable relaxed SIMD: use isa 'simd128', or 'auto' to take the best there is",
    );
  }
  const core = await instantiate(parts, tools);
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
      `The ${isa} kernels failed their self-check in this engine (${wrong}): use another isa`,
    );
  }
  return new PackedWeights(core, isa, reason);
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
