/** Operands of the right size: real blocks and values as weights have them, always the same. */

/**
 * Real blocks, over and over: random bytes would be scales that are infinite. ROW_MAJOR.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string} encoding
 * @param {number} values a multiple of the block's
 */
export function repeatedBlocks(pw, encoding, values) {
  const { bytes: sample } = pw.fixtures.decodable(encoding);
  const { bytes: blockBytes, elements } = pw.encodings[encoding];
  const all = new Uint8Array((values * blockBytes) / elements);
  all.set(sample.subarray(0, all.length));
  for (let done = sample.length; done < all.length; done *= 2) {
    all.copyWithin(done, 0, Math.min(done, all.length - done));
  }
  return all;
}

/**
 * Bytes that hold no block twice.
 * @param {number} size
 * @param {number} seed
 */
export function randomBytes(size, seed) {
  const words = new Uint32Array(Math.ceil(size / 4));
  let state = seed;
  for (let i = 0; i < words.length; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words[i] = state ^ (state >>> 15);
  }
  return new Uint8Array(words.buffer, 0, size);
}

/**
 * Values around zero, the large ones rare: sums of four uniform ones.
 * @param {number} count
 * @param {number} [seed]
 */
export function bellValues(count, seed = 1) {
  const values = new Float32Array(count);
  let state = seed;
  for (let i = 0; i < count; ++i) {
    let sum = 0;
    for (let part = 0; part < 4; ++part) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      sum += state / 2 ** 31 - 1;
    }
    values[i] = sum / 32;
  }
  return values;
}
