/**
 * Prepack as a picture: blocks leave their place in the file's memory and land at their place in the
 * kernel's. They start in the order of their flat index in the file, so the eye sees lines unroll. The
 * file's panel stays whole, because prepack copies.
 *
 * @typedef {import('./arrangement.js').Grid} Grid
 * @typedef {import('./camera.js').Frame} Frame
 * @typedef {import('./pyramid.js').Level} Level
 * @typedef {import('./raster.js').Screen} Screen
 */

/** How much of the time passes before the last block leaves, over the time one block flies. */
const SPREAD = 2;

/** More cells than this fly as groups (a coarser level of the pyramid). */
export const MOST_FLYING = 1 << 20;

/**
 * Where a block is at time t: 0 waits, 1 has landed.
 * @param {number} t 0..1
 * @param {number} share its flat index over the number of blocks
 */
export function progressOf(t, share) {
  return Math.min(1, Math.max(0, t * (1 + SPREAD) - SPREAD * share));
}

/**
 * @param {Screen} screen
 * @param {Frame} from the file's panel: lines are o
 * @param {Frame} to the kernel's panel: lines are b, or o in the logical picture
 * @param {Level} level
 * @param {'o' | 'b'} axis of the kernel's panel
 * @param {Uint32Array} palette
 * @param {number} t
 */
export function drawFlight(screen, from, to, level, axis, palette, t) {
  const { values, out, blocks, perO, perB } = level;
  const { pixels, width, height } = screen;
  const now = t * (1 + SPREAD);
  const late = SPREAD / (out * blocks);
  const fx = from.sx * perB;
  const fy = from.sy * perO;
  const toO = axis === 'o' ? { x: 0, y: to.sy * perO } : { x: to.sx * perO, y: 0 };
  const toB = axis === 'o' ? { x: to.sx * perB, y: 0 } : { x: 0, y: to.sy * perB };
  const fromSize = { x: fx, y: fy };
  const toSize = { x: toO.x + toB.x, y: toO.y + toB.y };
  const thin = Math.max(fx, fy, toSize.x, toSize.y) <= 1;
  const edge = to.rect;
  for (let o = 0, i = 0; o < out; o++) {
    const sourceY = from.y0 + o * fy;
    const rowX = to.x0 + o * toO.x;
    const rowY = to.y0 + o * toO.y;
    if (now - late * i <= 0) return;
    for (let b = 0; b < blocks; b++, i++) {
      let p = now - late * i;
      if (p <= 0) break;
      if (p > 1) p = 1;
      const q = 1 - p;
      const x = (from.x0 + b * fx) * q + (rowX + b * toB.x) * p;
      const y = sourceY * q + (rowY + b * toB.y) * p;
      if (thin) {
        if (x >= 0 && y >= 0 && x < width && y < height) {
          pixels[(y | 0) * width + (x | 0)] = palette[values[i]];
        }
        continue;
      }
      // A landed block belongs to the panel and is cut at its edge; a flying one may cross the gap.
      const landed = p === 1;
      const x0 = Math.max(landed ? edge.x : 0, Math.round(x));
      const y0 = Math.max(landed ? edge.y : 0, Math.round(y));
      const xEnd = x + Math.max(1, fromSize.x * q + toSize.x * p);
      const yEnd = y + Math.max(1, fromSize.y * q + toSize.y * p);
      const x1 = Math.min(landed ? edge.x + edge.width : width, Math.round(xEnd));
      const y1 = Math.min(landed ? edge.y + edge.height : height, Math.round(yEnd));
      if (x1 <= x0) continue;
      const c = palette[values[i]];
      for (let row = y0; row < y1; row++) pixels.fill(c, row * width + x0, row * width + x1);
    }
  }
}
