import { requireFloats, requireOptions } from './arguments.js';
import { requireEncoding } from './encodings.js';
import { PackedError, requireWhole, unwrap } from './errors.js';

/**
 * What quantizing lost.
 * @typedef {object} QuantizeReport
 * @property {number} relativeRms sqrt(sum (value - decoded)^2 / sum value^2)
 * @property {number} maxAbs largest |value - decoded|
 * @property {number} worstRow the row of greatest relative RMS error
 * @property {number} worstRowRms
 */

/**
 * @typedef {object} QuantizeOptions
 * @property {number} [inputDim] values per row; all of them are one row without it
 * @property {Float32Array} [importance] inputDim weights, the same for every row: how much an error on
 *   that input counts
 */

/**
 * @param {import('./context.js').Context} context
 * @param {Readonly<Record<string, Readonly<import('./encodings.js').Encoding>>>} encodings
 * @param {Float32Array} floats
 * @param {string} encoding
 * @param {QuantizeOptions} [options]
 * @returns {{ bytes: Uint8Array, report: QuantizeReport }}
 */
export function quantize({ core, heap }, encodings, floats, encoding, options) {
  const values = requireFloats('floats', floats);
  const { name } = requireEncoding(encodings, encoding);
  const given = requireOptions(options, { inputDim: '', importance: 'object' });
  const inputDim = requireWhole(
    'inputDim',
    given.inputDim === undefined ? values.length : given.inputDim,
  );
  const importance = requireImportance(given.importance, inputDim);
  const rows = inputDim === 0 ? 0 : Math.floor(values.length / inputDim);
  const size = unwrap(core.packedBytes(name, rows, inputDim));
  return heap.borrow(values.length * 4, 'values to quantize', (from) => {
    heap.floats(from, values.length).set(values);
    return heap.borrow(importance.length * 4, 'importance', (weights) => {
      heap.floats(weights, importance.length).set(importance);
      return heap.borrow(size, 'quantized bytes', (to) => {
        const report = unwrap(
          core.quantizeInto(
            name,
            from,
            values.length,
            inputDim,
            weights,
            importance.length,
            to,
            size,
          ),
        );
        return { bytes: heap.bytes(to, size).slice(), report };
      });
    });
  });
}

/**
 * The weights; none of them where none are stated. An empty array is not that: it would be one that came out of
 * something wrongly.
 * @param {unknown} importance
 * @param {number} inputDim
 */
function requireImportance(importance, inputDim) {
  if (importance === undefined) return new Float32Array(0);
  const weights = requireFloats('importance', importance);
  if (weights.length > 0 || inputDim === 0) return weights;
  throw new PackedError(
    'SIZE_MISMATCH',
    `importance is one weight per input: ${inputDim}, not 0; leave it out where all count the same`,
    { expected: String(inputDim), actual: '0' },
  );
}
