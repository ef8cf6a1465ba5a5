/**
 * Draws the stage into the page's OffscreenCanvas, only when something changed. Pixels come from
 * picture/; what lies over them (lit row and column, outlines, numbers) from the canvas.
 */
import { ORDERS, cellOf, extent, lineAxis } from '../picture/arrangement.js';
import { frameOf } from '../picture/camera.js';
import { PALETTE, pixel } from '../picture/colour-map.js';
import { drawFlight, flyingLevel } from '../picture/flight.js';
import { drawPanel, hashPixels } from '../picture/raster.js';
import { stageLayout } from '../picture/stage-layout.js';
import { gridOrNull, pyramidFor } from './grid.js';
import { css, drawOver, nameFlying } from './overlay.js';

/** Blocks of a grid this small keep their names in flight. */
const NAMED = 64;
const KEPT_FRAMES = 600;
/** Of a side of a PNG: what every browser's canvas can be. */
const MOST_PIXELS = 16384;

/** @type {OffscreenCanvas | null} */
let canvas = null;
/** @type {OffscreenCanvasRenderingContext2D | null} */
let context = null;
/** @type {ImageData | null} */
let image = null;
/** @type {any} */
let view = null;
let seq = 0;
let scheduled = false;
/** @type {{ start: number, millis: number, of: number } | null} */
let playing = null;
/** The resting picture, and the view that it is of. */
let still = { of: '', pixels: new Uint32Array(0) };
/** Only for tests: pixels without crosshair and outlines. */
let bare = false;
/** @type {{ at: number, millis: number, flying: boolean }[]} */
let log = [];

/** @param {OffscreenCanvas} to */
export function setCanvas(to) {
  canvas = to;
  context = to.getContext('2d', { alpha: false });
}

/** @param {number} number @param {any} next */
export function setView(number, next) {
  seq = number;
  view = playing ? { ...next, flight: view?.flight ?? 0 } : next;
  schedule();
}

/** @param {{ millis: number, of: number }} flight `of` says which it is */
export function play({ millis, of }) {
  playing = { start: performance.now(), millis, of };
  schedule();
}

export function stopPlaying() {
  playing = null;
}

function schedule() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(frame);
}

/** @param {number} now */
function frame(now) {
  scheduled = false;
  if (playing && view) {
    const t = Math.min(1, Math.max(0, (now - playing.start) / playing.millis));
    view = { ...view, flight: t };
    postMessage({ kind: 'flight', t, of: playing.of });
    if (t >= 1) playing = null;
  }
  const start = performance.now();
  if (view && canvas && view.stage.width > 0) draw();
  log.push({
    at: start,
    millis: performance.now() - start,
    flying: Boolean(view && view.flight < 1),
  });
  if (log.length > KEPT_FRAMES) log = log.slice(-KEPT_FRAMES / 2);
  postMessage({ kind: 'drawn', seq });
  if (playing) schedule();
}

export function frameLog() {
  return log;
}

export function forgetFrames() {
  log = [];
}

function draw() {
  const { width, height } = view.stage;
  if (canvas.width !== width || canvas.height !== height || !image) {
    canvas.width = width;
    canvas.height = height;
    image = context.createImageData(width, height);
  }
  const screen = { pixels: new Uint32Array(image.data.buffer), width, height };
  const ground = pixel(...view.colours.ground);
  const g = gridOrNull();
  if (!g || g.key !== view.key) {
    screen.pixels.fill(ground);
    context.putImageData(image, 0, 0);
    return;
  }
  if (view.mode === 'wrong') drawWrong(screen, g, ground);
  else drawOrders(screen, g, ground);
}

/** The channel as the raster wants it. */
function pictureOf(g, axis, colourOrder, { misread = false, compared = false } = {}) {
  const channel = compared ? 'misplaced' : view.channel;
  const levelled = !['position', 'identity'].includes(channel) || misread;
  return {
    grid: g.facts,
    axis,
    channel: levelled ? 'levels' : channel,
    levels: levelled ? (pyramidFor(g, channel, misread) ?? pyramidFor(g, 'scale', misread)) : [],
    colourOrder,
    palette: PALETTE,
    background: pixel(...view.colours.sunken),
  };
}

function drawOrders(screen, g, ground) {
  const rects = stageLayout(view.stage);
  const logical = view.wrap === 'logical';
  const panels = rects.map((rect, i) => {
    const axis = lineAxis(ORDERS[i], view.wrap);
    const frame = frameOf(rect, extent(g.facts, axis), view.cameras[i]);
    return {
      order: ORDERS[i],
      axis,
      frame,
      picture: pictureOf(g, axis, logical ? ORDERS[i] : 'ROW_MAJOR', {
        compared: view.misplaced?.order === ORDERS[i] && Boolean(g.levels.misplaced),
      }),
    };
  });
  const [file, kernel] = panels;
  rest(screen, g, ground, panels);
  if (view.flight < 1) {
    clear(screen, kernel.frame.rect, kernel.picture.background);
    const { frame, picture } = kernel;
    const levels = pyramidFor(g, view.channel, false) ?? pyramidFor(g, 'scale', false);
    const level = flyingLevel(levels, file.frame, frame, picture.axis);
    drawFlight(screen, file.frame, frame, level, picture, still.pixels, view.flight);
  }
  context.putImageData(image, 0, 0);
  if (bare) return;
  for (const panel of panels)
    drawOver(context, view, g, panel, panel === kernel && view.flight < 1);
  if (view.flight < 1 && g.total <= NAMED) nameFlying(context, view, g, file, kernel);
}

/** The picture that the pointer and the flight pass over: it is drawn once. */
function rest(screen, g, ground, panels) {
  const { focus: _focus, pin: _pin, flight: _flight, ...lasting } = view;
  const shown = panels.map(({ picture }) => picture.levels[0]?.values.length ?? 0);
  const now = JSON.stringify([lasting, shown, view.channel in g.levels]);
  if (still.of !== now || still.pixels.length !== screen.pixels.length) {
    const { length } = screen.pixels;
    const pixels = still.pixels.length === length ? still.pixels : new Uint32Array(length);
    pixels.fill(ground);
    for (const { frame, picture } of panels) drawPanel({ ...screen, pixels }, frame, picture);
    still = { of: now, pixels };
  }
  screen.pixels.set(still.pixels);
}

/** One picture of the weight, half read right and half as somebody reads it who takes file order for kernel order. */
function drawWrong(screen, g, ground) {
  const { width, height } = view.stage;
  const rect = { x: 0, y: 0, width, height };
  screen.pixels.fill(ground);
  const frame = frameOf(rect, extent(g.facts, 'o'), view.cameras[0]);
  const divider = Math.round(view.divider * width);
  drawPanel(screen, frame, pictureOf(g, 'o', 'ROW_MAJOR'), { to: divider });
  drawPanel(screen, frame, pictureOf(g, 'o', 'ROW_MAJOR', { misread: true }), { from: divider });
  context.putImageData(image, 0, 0);
  if (bare) return;
  drawOver(context, view, g, { order: 'ROW_MAJOR', axis: 'o', frame, misreadFrom: divider }, false);
  const { dpr } = view.stage;
  context.fillStyle = css(view.colours.ground);
  context.fillRect(divider - 3 * dpr, 0, 6 * dpr, height);
  context.fillStyle = css(view.colours.accent);
  context.fillRect(divider - dpr, 0, 2 * dpr, height);
  context.fillRect(divider - 5 * dpr, height / 2 - 18 * dpr, 10 * dpr, 36 * dpr);
}

/** @param {{ pixels: Uint32Array, width: number }} screen */
function clear({ pixels, width }, rect, colour) {
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    pixels.fill(colour, y * width + rect.x, y * width + rect.x + rect.width);
  }
}

/** @param {number} index of the panel @returns {Promise<{ hash: number, blob: Blob }>} */
export async function panelPng(index, scale) {
  const g = gridOrNull();
  const axis = lineAxis(ORDERS[index], view.wrap);
  const picture = pictureOf(g, axis, view.wrap === 'logical' ? ORDERS[index] : 'ROW_MAJOR');
  const size = extent(g.facts, axis);
  const shown = stageLayout(view.stage)[index];
  const exact = scale === 'exact';
  if (exact && Math.max(size.columns, size.lines) > MOST_PIXELS) {
    const error = new Error(
      `One pixel per block is ${size.columns} x ${size.lines} pixels, and browsers draw at most ${MOST_PIXELS} a side. Take the panel as it is shown.`,
    );
    throw Object.assign(error, { code: 'TOO_LARGE', tensor: g.tensor.name });
  }
  const width = exact ? size.columns : Math.round((shown.width / view.stage.dpr) * scale);
  const height = exact ? size.lines : Math.round((shown.height / view.stage.dpr) * scale);
  const target = new OffscreenCanvas(width, height);
  const paper = new ImageData(width, height);
  const screen = { pixels: new Uint32Array(paper.data.buffer), width, height };
  const ratio = width / shown.width;
  const camera = exact
    ? { z: 0, line: 0, column: 0 }
    : { ...view.cameras[index], z: view.cameras[index].z * ratio };
  drawPanel(screen, frameOf({ x: 0, y: 0, width, height }, size, camera), picture);
  target.getContext('2d').putImageData(paper, 0, 0);
  return {
    hash: hashPixels(screen.pixels, width, { x: 0, y: 0, width, height }),
    width,
    height,
    blob: await target.convertToBlob({ type: 'image/png' }),
  };
}

/** The picture of a panel as the canvas gives it back, without what lies over it. */
export function canvasHash(index) {
  bare = true;
  draw();
  bare = false;
  const rect = stageLayout(view.stage)[index];
  const { data: bytes } = context.getImageData(rect.x, rect.y, rect.width, rect.height);
  draw();
  const hash = hashPixels(new Uint32Array(bytes.buffer), rect.width, { ...rect, x: 0, y: 0 });
  return { hash, rect };
}

/**
 * For tests: whether what lies over the picture marks the block, its row and its column in a panel, and
 * leaves the rest alone.
 */
export function litAt({ panel, o, b }) {
  const rect = stageLayout(view.stage)[panel];
  const read = () => context.getImageData(rect.x, rect.y, rect.width, rect.height).data;
  const lit = read();
  bare = true;
  draw();
  bare = false;
  const plain = read();
  draw();
  const g = gridOrNull();
  const axis = lineAxis(ORDERS[panel], view.wrap);
  const frame = frameOf(rect, extent(g.facts, axis), view.cameras[panel]);
  const differs = (/** @type {import('../picture/arrangement.js').Block} */ block) => {
    const { line, column } = cellOf(axis, block);
    const x = Math.floor(frame.x0 - rect.x + (column + 0.5) * frame.sx);
    const y = Math.floor(frame.y0 - rect.y + (line + 0.5) * frame.sy);
    const at = (y * rect.width + x) * 4;
    return [0, 1, 2].some((i) => lit[at + i] !== plain[at + i]);
  };
  const { out, blocksPerRow } = g.facts;
  const far = { o: (o + (out >> 1)) % out, b: (b + (blocksPerRow >> 1)) % blocksPerRow };
  return {
    block: differs({ o, b }),
    row: differs({ o, b: far.b }),
    column: differs({ o: far.o, b }),
    elsewhere: differs(far),
  };
}
