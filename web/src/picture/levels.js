/**
 * One byte of brightness per block from the block's own scale. The bits of a positive half (or of the
 * upper half of a float) grow with its value and their steps are logarithmic, so the bits themselves are
 * the log scale; the 1st and 99th percentile become 0 and 255.
 */
const BINS = 0x8000;

/**
 * @param {Uint16Array} keys 15-bit magnitudes, one per block; 0 is a zero scale
 * @returns {{ levels: Uint8Array, low: number, high: number }} the keys at the two percentiles
 */
export function levelsOf(keys) {
  const histogram = new Uint32Array(BINS);
  let counted = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (key) {
      histogram[key]++;
      counted++;
    }
  }
  const low = percentile(histogram, counted * 0.01);
  const high = Math.max(low, percentile(histogram, counted * 0.99));
  const table = new Uint8Array(BINS);
  const span = high - low;
  for (let key = 1; key < BINS; key++) {
    const share = span ? (key - low) / span : 0.5;
    table[key] = 1 + Math.round(254 * Math.min(1, Math.max(0, share)));
  }
  const levels = new Uint8Array(keys.length);
  for (let i = 0; i < keys.length; i++) levels[i] = table[keys[i]];
  return { levels, low, high };
}

/**
 * @param {Uint32Array} histogram
 * @param {number} rank
 */
function percentile(histogram, rank) {
  let seen = 0;
  for (let key = 0; key < histogram.length; key++) {
    seen += histogram[key];
    if (seen > rank) return key;
  }
  return 0;
}
