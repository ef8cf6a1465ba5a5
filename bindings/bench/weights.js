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
 * Values around zero, the large ones rare: sums of four uniform ones.
 * @param {number} count
 */
export function bellValues(count) {
  const values = new Float32Array(count);
  let state = 1;
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
