// A small converter: f32 weights to Q8_0, in the order that packed kernels read. It knows nothing of
// packed-weights; converter.test.js proves its bytes.

const ELEMENTS = 32;
const BLOCK_BYTES = 34;

/**
 * Values [out, inputDim] to Q8_0 blocks, row by row as a GGUF file holds them.
 * @param {Float32Array} values
 */
export function quantize(values) {
  const blocks = values.length / ELEMENTS;
  const bytes = new Uint8Array(blocks * BLOCK_BYTES);
  const to = new DataView(bytes.buffer);
  for (let i = 0; i < blocks; ++i) {
    const block = values.subarray(i * ELEMENTS, (i + 1) * ELEMENTS);
    const d = block.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
    to.setUint16(i * BLOCK_BYTES, toHalf(d), true);
    block.forEach((value, j) =>
      to.setInt8(i * BLOCK_BYTES + 2 + j, d === 0 ? 0 : roundAwayFromZero(value / d)),
    );
  }
  return bytes;
}

/**
 * ROW_MAJOR blocks to INPUT_BLOCK_MAJOR: block (o, b) goes to place b * out + o.
 * @param {Uint8Array} rowMajor
 * @param {number} out
 */
export function relayout(rowMajor, out, blockBytes = BLOCK_BYTES) {
  const blocksPerRow = rowMajor.length / blockBytes / out;
  const kernel = new Uint8Array(rowMajor.length);
  for (let o = 0; o < out; ++o) {
    for (let b = 0; b < blocksPerRow; ++b) {
      const from = (o * blocksPerRow + b) * blockBytes;
      kernel.set(rowMajor.subarray(from, from + blockBytes), (b * out + o) * blockBytes);
    }
  }
  return kernel;
}

/** What the converter is for. @param {Float32Array} values @param {number} out */
export const convert = (values, out) => relayout(quantize(values), out);

const roundAwayFromZero = (value) => Math.sign(value) * Math.round(Math.abs(value));

// Round to nearest, ties to even; scales are positive and far from overflow.
function toHalf(value) {
  const bits = new Uint32Array(new Float32Array([value]).buffer)[0];
  if (value < 2 ** -14) {
    const units = value * 2 ** 24;
    const whole = Math.floor(units);
    const rest = units - whole;
    return whole + (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? 1 : 0);
  }
  return ((bits - 0x38000000 + 0xfff + ((bits >>> 13) & 1)) >>> 13) & 0x7fff;
}
