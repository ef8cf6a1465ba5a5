/**
 * One colour map for every channel: dark blue over grey to yellow, rising evenly in lightness, so that it
 * reads the same with any colour-vision deficiency and in grey.
 */
const STOPS = [
  [0, 32, 77],
  [0, 48, 111],
  [57, 71, 108],
  [87, 93, 109],
  [112, 114, 115],
  [138, 137, 121],
  [166, 161, 117],
  [196, 187, 109],
  [228, 213, 91],
  [255, 234, 70],
];

/**
 * @param {number} r
 * @param {number} g
 * @param {number} b
 * @returns {number} one opaque pixel as a little-endian Uint32 of canvas memory
 */
export function pixel(r, g, b) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** @param {number} level 0..255 @returns {[number, number, number]} */
export function colourAt(level) {
  const at = (level / 255) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(at));
  const mix = at - low;
  const [r, g, b] = STOPS[low].map((c, i) => Math.round(c + (STOPS[low + 1][i] - c) * mix));
  return [r, g, b];
}

/** @type {Uint32Array} level 0..255 to a pixel */
export const PALETTE = Uint32Array.from({ length: 256 }, (_, level) => pixel(...colourAt(level)));

/**
 * A level that tells neighbours apart; the same block has the same one in every order.
 * @param {number} o
 * @param {number} b
 */
export function identityLevel(o, b) {
  let h = (Math.imul(o + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b)) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0;
  return (h ^ (h >>> 13)) & 255;
}
