/**
 * Draws a panel into a Uint32Array of canvas memory: one pass over the screen's pixels, so the cost
 * depends on the screen and not on the weight.
 *
 * @typedef {import('./arrangement.js').Grid} Grid
 * @typedef {import('./arrangement.js').Order} Order
 * @typedef {import('./camera.js').Frame} Frame
 * @typedef {import('./pyramid.js').Level} Level
 * @typedef {{ pixels: Uint32Array, width: number, height: number }} Screen
 * @typedef {object} Picture
 * @property {Grid} grid
 * @property {'o' | 'b'} axis which coordinate counts the panel's lines
 * @property {'levels' | 'position' | 'identity'} channel
 * @property {Level[]} levels used by the channel `levels`
 * @property {Order} colourOrder whose flat index the channel `position` shows
 * @property {Uint32Array} palette
 * @property {number} background
 */
import { placeOf } from './arrangement.js';
import { identityLevel } from './colour-map.js';
import { chooseLevel } from './pyramid.js';

/**
 * Every visible cell becomes one byte first, in file order, so that memory is read along its lines in both
 * panels; then the bytes are painted, turned where the panel's lines are b.
 * @param {Screen} screen
 * @param {Frame} frame
 * @param {Picture} picture
 * @param {{ from?: number, to?: number }} [clip] columns of the screen, for a divider
 */
export function drawPanel(screen, frame, picture, clip = {}) {
  const { rect, extent } = frame;
  const left = Math.max(rect.x, Math.round(clip.from ?? rect.x), 0);
  const right = Math.min(rect.x + rect.width, Math.round(clip.to ?? Infinity), screen.width);
  const top = Math.max(0, rect.y);
  const bottom = Math.min(rect.y + rect.height, screen.height);
  if (right <= left || bottom <= top) return;

  const { axis } = picture;
  const level = levelFor(picture, frame);
  const [perLine, perColumn] = axis === 'o' ? [level.perO, level.perB] : [level.perB, level.perO];
  const columns = spans(left, right, frame.x0, frame.sx, extent.columns, perColumn);
  const lines = spans(top, bottom, frame.y0, frame.sy, extent.lines, perLine);
  const [os, bs] = axis === 'o' ? [lines, columns] : [columns, lines];
  const shown = picture.channel === 'levels' ? largest(level, os, bs) : followed(picture, os, bs);
  const lineStep = axis === 'o' ? bs.count : 1;
  const columnStep = axis === 'o' ? 1 : bs.count;
  paint(screen, { left, right, top, bottom }, lines, columns, lineStep, columnStep, shown, picture);
}

/**
 * @param {Screen} screen
 * @param {{ left: number, right: number, top: number, bottom: number }} area
 * @param {Spans} lines
 * @param {Spans} columns
 * @param {number} lineStep
 * @param {number} columnStep
 * @param {Uint8Array} shown
 * @param {Picture} picture
 */
function paint({ pixels, width }, area, lines, columns, lineStep, columnStep, shown, picture) {
  const { left, right, top, bottom } = area;
  const { palette, background } = picture;
  for (let y = top; y < bottom; y++) {
    const row = y * width + left;
    const line = lines.ofPixel[y - top];
    if (y > top && line === lines.ofPixel[y - top - 1]) {
      pixels.copyWithin(row, row - width, row - width + right - left);
    } else if (line < 0) {
      pixels.fill(background, row, row + right - left);
    } else {
      const start = line * lineStep;
      for (let x = 0; x < right - left; x++) {
        const column = columns.ofPixel[x];
        pixels[row + x] = column < 0 ? background : palette[shown[start + column * columnStep]];
      }
    }
  }
}

/**
 * @param {Picture} picture
 * @param {Frame} frame
 * @returns {Level}
 */
function levelFor({ axis, channel, grid, levels }, { sx, sy }) {
  if (channel !== 'levels') {
    return { values: EMPTY, out: grid.out, blocks: grid.blocksPerRow, perO: 1, perB: 1 };
  }
  return axis === 'o' ? chooseLevel(levels, sy, sx) : chooseLevel(levels, sx, sy);
}

const EMPTY = new Uint8Array(0);

/**
 * The different groups of cells that pixels show on one axis, in order.
 * @typedef {{ count: number, first: Int32Array, last: Int32Array, ofPixel: Int32Array }} Spans
 *   group i is the cells [first[i], last[i]); ofPixel is -1 beside the cells
 *
 * Above a pixel per cell a pixel shows the cell that it lies in; below, every cell belongs to the one
 * pixel that it begins in.
 * @param {number} from
 * @param {number} to
 * @param {number} start
 * @param {number} scale
 * @param {number} cells
 * @param {number} per cells of the base in one cell of the level
 * @returns {Spans}
 */
function spans(from, to, start, scale, cells, per) {
  const first = new Int32Array(to - from);
  const last = new Int32Array(to - from);
  const ofPixel = new Int32Array(to - from);
  const all = Math.ceil(cells / per);
  const step = scale * per;
  let count = 0;
  for (let p = from; p < to; p++) {
    const a = step >= 1 ? Math.floor((p - start) / step + 1e-9) : beginsFrom(p, start, step);
    const b = step >= 1 ? a + 1 : beginsFrom(p + 1, start, step);
    if (b <= 0 || a >= all) {
      ofPixel[p - from] = -1;
      continue;
    }
    const low = Math.max(0, a);
    if (count === 0 || low !== first[count - 1]) {
      first[count] = low;
      last[count++] = Math.min(all, b);
    }
    ofPixel[p - from] = count - 1;
  }
  return { count, first, last, ofPixel };
}

/**
 * The first cell that begins at or after a pixel.
 * @param {number} p
 * @param {number} start
 * @param {number} step
 */
function beginsFrom(p, start, step) {
  return Math.ceil((p - start) / step - 1e-9);
}

/**
 * The largest block of every shown group, one axis after the other.
 * @param {Level} level
 * @param {Spans} os
 * @param {Spans} bs
 */
function largest({ values, blocks }, os, bs) {
  const shown = new Uint8Array(os.count * bs.count);
  if (!shown.length) return shown;
  const left = bs.first[0];
  const right = bs.last[bs.count - 1];
  const joined = new Uint8Array(right - left);
  for (let i = 0; i < os.count; i++) {
    let row = values;
    let base = os.first[i] * blocks;
    if (os.last[i] - os.first[i] > 1) {
      joined.set(values.subarray(base + left, base + right));
      for (let o = os.first[i] + 1; o < os.last[i]; o++) {
        const at = o * blocks + left;
        for (let b = 0; b < joined.length; b++) {
          // The larger of two bytes without a branch: on real weights a branch is a coin toss.
          const d = joined[b] - values[at + b];
          joined[b] -= d & (d >> 31);
        }
      }
      row = joined;
      base = -left;
    }
    for (let j = 0; j < bs.count; j++) {
      const end = base + bs.last[j];
      let most = row[base + bs.first[j]];
      for (let c = base + bs.first[j] + 1; c < end; c++) {
        const d = most - row[c];
        most -= d & (d >> 31);
      }
      shown[i * bs.count + j] = most;
    }
  }
  return shown;
}

/**
 * Channels that follow from the coordinates alone: the first block of a group speaks for it.
 * @param {Picture} picture
 * @param {Spans} os
 * @param {Spans} bs
 */
function followed({ channel, grid, colourOrder }, os, bs) {
  const shown = new Uint8Array(os.count * bs.count);
  const level = channel === 'identity' ? identityLevel : positionLevel(grid, colourOrder);
  for (let i = 0, at = 0; i < os.count; i++) {
    for (let j = 0; j < bs.count; j++, at++) shown[at] = level(os.first[i], bs.first[j]);
  }
  return shown;
}

/**
 * @param {Grid} grid
 * @param {Order} order
 * @returns {(o: number, b: number) => number} 0 for the first place of that order, 255 for the last
 */
export function positionLevel(grid, order) {
  const scale = 255 / Math.max(1, grid.out * grid.blocksPerRow - 1);
  const oStep = placeOf(order, grid, { o: 1, b: 0 }) * scale;
  const bStep = placeOf(order, grid, { o: 0, b: 1 }) * scale;
  return (o, b) => (o * oStep + b * bStep + 0.5) | 0;
}

/**
 * FNV-1a over the pixels of a rectangle: the same picture has the same number in Node and in every browser.
 * @param {Uint32Array} pixels
 * @param {number} width of the screen
 * @param {{ x: number, y: number, width: number, height: number }} rect
 */
export function hashPixels(pixels, width, rect) {
  let hash = 0x811c9dc5;
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    for (let x = rect.x; x < rect.x + rect.width; x++) {
      hash = Math.imul(hash ^ pixels[y * width + x], 0x01000193);
    }
  }
  return hash >>> 0;
}
