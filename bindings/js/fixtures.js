import { requireEncoding } from './encodings.js';
import { unwrap } from './errors.js';

/** @typedef {import('./arguments.js').BlockOrder} BlockOrder */

/**
 * A weight with real content, and what it gives.
 * @typedef {object} DecodableFixture
 * @property {string} encoding
 * @property {BlockOrder} order ROW_MAJOR
 * @property {number} out 5
 * @property {number} blocksPerRow 3
 * @property {number} inputDim
 * @property {Uint8Array} bytes
 * @property {Float32Array} decoded [out, in]
 * @property {Float32Array} x [2, in]
 * @property {Float32Array} y [2, out], x times the transpose of the weight
 */

/**
 * Bytes whose right places are known, for everybody's tests.
 * @typedef {object} Fixtures
 * @property {(encoding: string) => Uint8Array} canonical 4 x 3 blocks, ROW_MAJOR
 * @property {(encoding: string) => Uint8Array} kernelOrder 4 x 3 blocks, INPUT_BLOCK_MAJOR
 * @property {(encoding: string) => DecodableFixture} decodable real content, 5 x 3 blocks, whose scales carry the
 *   block's coordinates
 */

/**
 * @param {import('./context.js').Context} context
 * @param {Readonly<Record<string, Readonly<import('./encodings.js').Encoding>>>} encodings
 * @returns {Readonly<Fixtures>}
 */
export function fixturesOf(context, encodings) {
  const placement = (/** @type {string} */ encoding, /** @type {BlockOrder} */ order) => {
    const { name } = requireEncoding(encodings, encoding);
    return /** @type {Uint8Array} */ (unwrap(context.whole.placementFixture(name, order)));
  };
  return Object.freeze({
    canonical: (/** @type {string} */ encoding) => placement(encoding, 'ROW_MAJOR'),
    kernelOrder: (/** @type {string} */ encoding) => placement(encoding, 'INPUT_BLOCK_MAJOR'),
    decodable: (/** @type {string} */ encoding) =>
      unwrap(context.whole.decodableFixture(requireEncoding(encodings, encoding).name)),
  });
}
