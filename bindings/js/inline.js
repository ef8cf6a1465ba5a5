import relaxed from '#relaxed.wasm';
import relaxedColumns from '#relaxed.columns.wasm';
import relaxedFiles from '#relaxed.files.wasm';
import relaxedTools from '#relaxed.tools.wasm';
import simd128 from '#simd128.wasm';
import simd128Columns from '#simd128.columns.wasm';
import simd128Files from '#simd128.files.wasm';
import simd128Tools from '#simd128.tools.wasm';
import { loadWith } from './load.js';

export * from './index.js';

/**
 * The same as the main entry's `load`, with both modules inside this file: for bundlers that cannot place
 * a .wasm file beside a script.
 * @param {import('./load.js').LoadOptions} [options]
 */
export function load(options) {
  return loadWith(options, {
    simd128: {
      first: simd128,
      columns: simd128Columns,
      tools: simd128Tools,
      files: simd128Files,
    },
    relaxed: {
      first: relaxed,
      columns: relaxedColumns,
      tools: relaxedTools,
      files: relaxedFiles,
    },
  });
}
