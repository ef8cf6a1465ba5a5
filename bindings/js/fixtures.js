import { requireEncoding } from './encodings.js';
import { unwrap } from './errors.js';

/** @typedef {import('./arguments.js').BlockOrder} BlockOrder */

/**
 * Bytes whose right places are known, for everybody's tests.
 * @param {import('./context.js').Context} context
 * @param {Readonly<Record<string, Readonly<import('./encodings.js').Encoding>>>} encodings
 */
export function fixturesOf(context, encodings) {
  const placement = (/** @type {string} */ encoding, /** @type {BlockOrder} */ order) => {
    const { name } = requireEncoding(encodings, encoding);
    return /** @type {Uint8Array} */ (unwrap(context.whole.placementFixture(name, order)));
  };
  return Object.freeze({
    /** @param {string} encoding @returns {Uint8Array} 4 x 3 blocks, ROW_MAJOR */
    canonical: (encoding) => placement(encoding, 'ROW_MAJOR'),
    /** @param {string} encoding @returns {Uint8Array} 4 x 3 blocks, INPUT_BLOCK_MAJOR */
    kernelOrder: (encoding) => placement(encoding, 'INPUT_BLOCK_MAJOR'),
    /**
     * Real content, 5 x 3 blocks, whose scales carry the block's coordinates.
     * @param {string} encoding
     * @returns {{ encoding: string, order: BlockOrder, out: number, blocksPerRow: number, inputDim: number,
     *   bytes: Uint8Array, decoded: Float32Array, x: Float32Array, y: Float32Array }}
     */
    decodable: (encoding) =>
      unwrap(context.whole.decodableFixture(requireEncoding(encodings, encoding).name)),
  });
}
