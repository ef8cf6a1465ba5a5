import { PseudoRandom } from './pseudo-random.js';

/** Blocked encodings that can be decoded, by name. */
export function blockedEncodings(pw) {
  return Object.values(pw.encodings)
    .filter(({ blocked }) => blocked)
    .map(({ name }) => name);
}

/**
 * Finite content of any size: the blocks of the decodable fixture in a sequence that no order explains.
 * ROW_MAJOR.
 */
export function finiteWeight(pw, encoding, out, blocksPerRow, seed = 1) {
  const { bytes: size, elements } = pw.encodings[encoding];
  const fixture = pw.fixtures.decodable(encoding);
  const blocks = fixture.out * fixture.blocksPerRow;
  const random = new PseudoRandom(seed);
  const bytes = new Uint8Array(out * blocksPerRow * size);
  for (let i = 0; i < out * blocksPerRow; ++i) {
    const from = random.below(blocks) * size;
    bytes.set(fixture.bytes.subarray(from, from + size), i * size);
  }
  return pw.pack(bytes, { encoding, out, inputDim: blocksPerRow * elements, order: 'ROW_MAJOR' });
}

/** Whether two arrays hold the same bits: -0 and NaN count as what they are. */
export function sameBits(a, b) {
  const bits = (floats) => Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
  return a.length === b.length && bits(a).equals(bits(b));
}
