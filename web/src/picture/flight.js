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
import { chooseLevel } from './pyramid.js';

/** How much of the time passes before the last block leaves, over the time one block flies. */
const SPREAD = 2;

/** More cells than this fly as groups (a coarser level of the pyramid). */
const MOST_FLYING = 1 << 20;

/**
 * Where a block is at time t: 0 waits, 1 has landed.
 * @param {number} t 0..1
 * @param {number} share its flat index over the number of blocks
 */
export function progressOf(t, share) {
  return Math.min(1, Math.max(0, t * (1 + SPREAD) - SPREAD * share));
}

/**
 * The time at which so many blocks have just landed.
 * @param {number} landed
 * @param {number} total
 */
export function timeOf(landed, total) {
  return landed <= 0 ? 0 : Math.min(1, (1 + (SPREAD * landed) / total) / (1 + SPREAD));
}

/**
 * How many blocks have landed at time t, with parts of the next.
 * @param {number} t
 * @param {number} total
 */
function landing(t, total) {
  return Math.max(0, ((t * (1 + SPREAD) - 1) / SPREAD) * total);
}

/**
 * How many blocks have landed at time t, whatever its last digits are.
 * @param {number} t
 * @param {number} total
 */
export function landedAt(t, total) {
  return Math.floor(landing(t, total) + 1e-6);
}

/**
 * The time one step on from t: to where the next block has landed, or the next whole line of `size` blocks.
 * @param {number} t
 * @param {1 | -1} by
 * @param {number} size
 * @param {number} total
 */
export function steppedTime(t, by, size, total) {
  const landed = landing(t, total) / size;
  // A step that has been reached is left, whatever its last digits are.
  const whole = by > 0 ? Math.floor(landed + 1e-6) + 1 : Math.ceil(landed - 1e-6) - 1;
  return timeOf(whole * size, total);
}

/**
 * What flies: the coarsest cells that are nowhere larger than a pixel, and never more than MOST_FLYING.
 * @param {Level[]} levels the base first
 * @param {Frame} from of the file's panel
 * @param {Frame} to of the kernel's panel
 * @param {'o' | 'b'} axis of the kernel's panel
 */
export function flyingLevel(levels, from, to, axis) {
  const [perO, perB] = axis === 'o' ? [to.sy, to.sx] : [to.sx, to.sy];
  const fine = chooseLevel(levels, Math.max(from.sy, perO), Math.max(from.sx, perB));
  const few = levels.findIndex(({ values }) => values.length <= MOST_FLYING);
  return levels[Math.max(levels.indexOf(fine), few < 0 ? levels.length - 1 : few)];
}

/**
 * Draws into the kernel's panel what has landed, and over everything what flies.
 * @param {Screen} screen
 * @param {Frame} from the file's panel: lines are o
 * @param {Frame} to the kernel's panel
 * @param {Level} level what flies
 * @param {{ axis: 'o' | 'b', palette: Uint32Array }} picture of the kernel's panel
 * @param {Uint32Array} rest the pixels of a screen on which that panel rests
 * @param {number} t
 */
export function drawFlight(screen, from, to, level, picture, rest, t) {
  const { out, blocks, perO } = level;
  const now = t * (1 + SPREAD);
  const late = SPREAD / (out * blocks);
  // Rows that have landed whole are the resting picture already.
  const landed = Math.min(out, Math.max(0, Math.floor(((now - 1) / late + 1) / blocks)));
  copyRect(screen, rest, firstRows(to, picture.axis, landed * perO));
  const way = wayOf(screen, from, to, level, picture);
  const gone = Math.min(out * blocks, Math.ceil(now / late));
  for (let o = landed; o * blocks < gone; o++) {
    const row = { o, count: Math.min(blocks, gone - o * blocks), now: now - late * o * blocks };
    if (way.thin) flyAsPoints(screen, way, row, late);
    else flyAsCells(screen, way, row, late);
  }
}

/**
 * The part of the kernel's panel that shows so many rows of the weight.
 * @param {Frame} frame
 * @param {'o' | 'b'} axis
 * @param {number} rows
 */
function firstRows({ rect, x0, y0, sx, sy }, axis, rows) {
  const width = Math.min(rect.width, Math.max(0, Math.round(x0 + rows * sx) - rect.x));
  const height = Math.min(rect.height, Math.max(0, Math.round(y0 + rows * sy) - rect.y));
  return axis === 'o' ? { ...rect, height } : { ...rect, width };
}

/** @param {Screen} to @param {Uint32Array} from @param {import('./arrangement.js').Rect} rect */
function copyRect({ pixels, width }, from, rect) {
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    const at = y * width + rect.x;
    pixels.set(from.subarray(at, at + rect.width), at);
  }
}

/**
 * Where cells come from, where they go, and by how much both change from one o or b to the next.
 * @typedef {ReturnType<typeof wayOf>} Way
 * @typedef {{ o: number, count: number, now: number }} Row `count` blocks of it have left, the first of them
 *   is at `now` of its way
 */
function wayOf(screen, from, to, { values, out, blocks, perO, perB }, { axis, palette }) {
  const down = axis === 'o';
  const source = { x: from.x0, y: from.y0, perB: from.sx * perB, perO: from.sy * perO };
  const target = {
    x: to.x0,
    y: to.y0,
    xPerO: down ? 0 : to.sx * perO,
    yPerO: down ? to.sy * perO : 0,
    xPerB: down ? to.sx * perB : 0,
    yPerB: down ? 0 : to.sy * perB,
  };
  const size = { x: target.xPerO + target.xPerB, y: target.yPerO + target.yPerB };
  const holds = (x, y, width, height) =>
    x >= 0 && y >= 0 && x + width <= screen.width && y + height <= screen.height;
  return {
    values,
    blocks,
    palette,
    source,
    target,
    size,
    edge: to.rect,
    thin: Math.max(source.perB, source.perO, size.x, size.y) <= 1,
    // A way between two points of the screen does not leave it. More pixels would not be counted as whole numbers.
    inside:
      Math.max(screen.width, screen.height) < 1 << 15 &&
      holds(source.x, source.y, source.perB * blocks, source.perO * out) &&
      holds(
        target.x,
        target.y,
        target.xPerO * out + target.xPerB * blocks,
        target.yPerO * out + target.yPerB * blocks,
      ),
  };
}

/**
 * A block's place is quadratic in b: so is what b changes in its way, and in how far it is. The next place is two
 * sums away. Where nothing leaves the screen, stretches of blocks are taken for straight and counted in 1/65536 of
 * a pixel: whole numbers take engines two thirds of the time.
 * @param {Screen} screen @param {Way} way @param {Row} row @param {number} late
 */
function flyAsPoints(screen, way, { o, count, now }, late) {
  const { pixels, width, height } = screen;
  const { values, blocks, palette, inside, source, target } = way;
  const first = o * blocks;
  const toX = target.x + o * target.xPerO;
  const toY = target.y + o * target.yPerO;
  const fromY = source.y + o * source.perO;
  const landed = now < 1 ? 0 : Math.min(count, Math.floor((now - 1) / late) + 1);
  if (landed > 0) landPoints(screen, way, o, landed);
  const p = now - late * landed;
  const turnX = target.xPerB - source.perB;
  const turnY = target.yPerB;
  const farX = toX - source.x + landed * turnX;
  const farY = toY - fromY + landed * turnY;
  let x = source.x + landed * source.perB + p * farX;
  let y = fromY + p * farY;
  let stepX = source.perB + p * turnX - late * (farX + turnX);
  let stepY = p * turnY - late * (farY + turnY);
  const bendX = -2 * late * turnX;
  const bendY = -2 * late * turnY;
  const stretch = inside ? stretchOf(late) : 1;
  for (let b = landed; b < count; b += stretch) {
    const n = Math.min(stretch, count - b);
    const meanX = stepX + ((n - 1) / 2) * bendX;
    const meanY = stepY + ((n - 1) / 2) * bendY;
    if (inside) {
      const dx = (meanX * 65536) | 0;
      const dy = (meanY * 65536) | 0;
      // Steps are cut towards zero: from a trace further on, no place is left of the screen or above it.
      let column = (x * 65536 + 1) | 0;
      let line = (y * 65536 + 1) | 0;
      for (let i = (first + b) | 0, end = (first + b + n) | 0; i < end; i = (i + 1) | 0) {
        pixels[(Math.imul(line >> 16, width) + (column >> 16)) | 0] = palette[values[i]];
        column = (column + dx) | 0;
        line = (line + dy) | 0;
      }
    } else if (x >= 0 && y >= 0 && x < width && y < height) {
      pixels[(y | 0) * width + (x | 0)] = palette[values[first + b]];
    }
    x += n * meanX;
    y += n * meanY;
    stepX += n * bendX;
    stepY += n * bendY;
  }
}

/**
 * How many blocks fly in a line that is straight to a hundredth of a pixel.
 * @param {number} late
 */
function stretchOf(late) {
  return Math.max(1, Math.min(256, Math.floor(Math.sqrt(0.04 / late))));
}

/**
 * The first blocks of a row, where they belong. Apart from those that fly, because engines compile a loop for what
 * it has met: none had landed when the flight began.
 * @param {Screen} screen @param {Way} way @param {number} o @param {number} count
 */
function landPoints({ pixels, width, height }, { values, blocks, palette, target }, o, count) {
  for (let b = 0; b < count; b++) {
    const x = target.x + o * target.xPerO + b * target.xPerB;
    const y = target.y + o * target.yPerO + b * target.yPerB;
    if (x >= 0 && y >= 0 && x < width && y < height) {
      pixels[(y | 0) * width + (x | 0)] = palette[values[o * blocks + b]];
    }
  }
}

/** @param {Screen} screen @param {Way} way @param {Row} row @param {number} late */
function flyAsCells({ pixels, width, height }, way, { o, count, now }, late) {
  const { values, blocks, palette, source, target, size, edge } = way;
  const rowX = target.x + o * target.xPerO;
  const rowY = target.y + o * target.yPerO;
  const fromY = source.y + o * source.perO;
  for (let b = 0; b < count; b++) {
    const p = Math.min(1, now - late * b);
    const q = 1 - p;
    const x = (source.x + b * source.perB) * q + (rowX + b * target.xPerB) * p;
    const y = fromY * q + (rowY + b * target.yPerB) * p;
    // A landed block belongs to the panel and is cut at its edge; a flying one may cross the gap.
    const landed = p === 1;
    const xEnd = x + Math.max(1, source.perB * q + size.x * p);
    const yEnd = y + Math.max(1, source.perO * q + size.y * p);
    const x0 = Math.max(landed ? edge.x : 0, Math.round(x));
    const y0 = Math.max(landed ? edge.y : 0, Math.round(y));
    const x1 = Math.min(landed ? edge.x + edge.width : width, Math.round(xEnd));
    const y1 = Math.min(landed ? edge.y + edge.height : height, Math.round(yEnd));
    const colour = palette[values[o * blocks + b]];
    if (x1 - x0 < FILLED) {
      for (let line = y0 * width; line < y1 * width; line += width) {
        for (let at = line + x0; at < line + x1; at++) pixels[at] = colour;
      }
    } else {
      for (let line = y0 * width; line < y1 * width; line += width) {
        pixels.fill(colour, line + x0, line + x1);
      }
    }
  }
}

/** From this many pixels on the engine fills faster than a loop. */
const FILLED = 24;
