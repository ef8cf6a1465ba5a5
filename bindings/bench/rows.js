/** What is measured: `gemv` one column, `gemm` several, the others a pass over a weight. */
export const ops = /** @type {const} */ ([
  'gemv',
  'gemm',
  'prepack',
  'canonical',
  'relayoutInPlace',
  'disagreement',
  'scan',
  'decode',
  'quantize',
  'diagnose',
]);

export const orders = /** @type {const} */ (['INPUT_BLOCK_MAJOR', 'ROW_MAJOR']);
export const activations = /** @type {const} */ (['int8', 'f32']);

/** What a share is a share of. @type {readonly BenchRow['of'][]} */
export const references = [
  'dotCeiling',
  'streamRead',
  'copy',
  'singleColumns',
  'relayout',
  'fixed',
];

/**
 * @typedef {(typeof ops)[number]} BenchOp
 *
 * @typedef {object} BenchRow
 * @property {BenchOp} op
 * @property {string} encoding
 * @property {string | null} order of the packed bytes that are read
 * @property {'int8' | 'f32' | null} activation
 * @property {string} isa
 * @property {number} out
 * @property {number} inputDim
 * @property {number | null} n columns
 * @property {number} milliseconds of the fastest run
 * @property {number | null} gops 10^9 multiplications and additions a second
 * @property {number} gbps 10^9 bytes a second: of packed bytes; of values for decode and quantize; of both
 *   weights for disagreement and diagnose
 * @property {'dotCeiling' | 'streamRead' | 'copy' | 'singleColumns' | 'relayout' | 'fixed'} of what `share` is
 *   a share of: a calibration in the same run, as many columns one by one, the relayout into other
 *   memory, or a fixed speed
 * @property {number} ceiling that speed, in gops where there are any, else in gbps
 * @property {number} share
 * @property {number | null} goal the share that it should be; of dotCeiling as many quarters of what is stated as
 *   the processor begins vector operations in the time of two products, at most four
 *
 * @typedef {object} RowGroup rows that share operands
 * @property {readonly BenchOp[]} ops
 * @property {string} encoding
 * @property {number} rows
 * @property {() => Iterable<BenchRow>} run
 */

/**
 * What the rows of an operation that multiplies nothing have in common.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string} encoding
 * @param {readonly [number, number]} shape
 */
export function passOver(pw, encoding, [out, inputDim]) {
  return { encoding, activation: null, isa: pw.isa, out, inputDim, n: null, gops: null };
}
