import relaxed from '#relaxed.wasm';
import simd128 from '#simd128.wasm';
import { loadWith } from './load.js';

export * from './index.js';

/**
 * The same as the main entry's `load`, with both modules inside this file: for bundlers that cannot place
 * a .wasm file beside a script.
 * @param {import('./load.js').LoadOptions} [options]
 */
export function load({ isa = 'auto', wasm } = {}) {
  return loadWith(isa, wasm, { simd128: () => simd128, relaxed: () => relaxed });
}
