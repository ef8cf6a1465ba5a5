/**
 * Draws the stage into the page's OffscreenCanvas, only when something changed. Pixels come from
 * picture/; what lies over them (lit row and column, outlines, numbers) from the canvas.
 */
import {
  ORDERS,
  blockAt,
  cellOf,
  extent,
  lineAxis,
  misreadBlock,
  placeOf,
} from '../picture/arrangement.js';
import { cellRect, frameOf } from '../picture/camera.js';
import { PALETTE, pixel } from '../picture/colour-map.js';
import { MOST_FLYING, drawFlight } from '../picture/flight.js';
import { drawPanel, hashPixels } from '../picture/raster.js';
import { stageLayout } from '../picture/stage-layout.js';
import { flatLevels, gridOrNull, pyramidFor } from './grid.js';

const OUTLINES = 8;
const NUMBERS = 40;
const KEPT_FRAMES = 600;

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
/** @type {{ start: number, millis: number } | null} */
let playing = null;
/** @type {{ at: number, millis: number }[]} */
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

export function play(millis) {
  playing = { start: performance.now(), millis };
  schedule();
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
    if (t >= 1) playing = null;
    postMessage({ kind: 'flight', t });
  }
  const start = performance.now();
  if (view && canvas && view.stage.width > 0) draw();
  log.push({ at: start, millis: performance.now() - start });
  if (log.length > KEPT_FRAMES) log = log.slice(-KEPT_FRAMES / 2);
  postMessage({ kind: 'drawn', seq });
  if (playing) schedule();
}

export function frameLog() {
  return log;
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
function pictureOf(g, axis, colourOrder, misread = false) {
  const { channel } = view;
  const levelled = channel === 'scale' || channel === 'error' || misread;
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
  screen.pixels.fill(ground);
  const logical = view.wrap === 'logical';
  const panels = rects.map((rect, i) => {
    const axis = lineAxis(ORDERS[i], view.wrap);
    const frame = frameOf(rect, extent(g.facts, axis), view.cameras[i]);
    return {
      order: ORDERS[i],
      axis,
      frame,
      picture: pictureOf(g, axis, logical ? ORDERS[i] : 'ROW_MAJOR'),
    };
  });
  const [file, kernel] = panels;
  drawPanel(screen, file.frame, file.picture);
  if (view.flight >= 1) {
    drawPanel(screen, kernel.frame, kernel.picture);
  } else {
    clear(screen, kernel.frame.rect, kernel.picture.background);
    drawFlight(screen, file.frame, kernel.frame, flyingLevel(g), kernel.axis, PALETTE, view.flight);
  }
  context.putImageData(image, 0, 0);
  for (const panel of panels) drawOver(g, panel, panel === kernel && view.flight < 1);
}

/** What flies: blocks, or groups of them when there are too many for a frame. */
function flyingLevel(g) {
  const { out, blocksPerRow } = g.facts;
  if (g.total <= MOST_FLYING) {
    return {
      values: flatLevels(g, view.channel) ?? flatLevels(g, 'scale'),
      out,
      blocks: blocksPerRow,
      perO: 1,
      perB: 1,
    };
  }
  const levels = pyramidFor(g, view.channel, false) ?? pyramidFor(g, 'scale', false);
  return levels.find(({ values }) => values.length <= MOST_FLYING) ?? levels.at(-1);
}

/** One picture of the weight, half read right and half as somebody reads it who takes file order for kernel order. */
function drawWrong(screen, g, ground) {
  const { width, height } = view.stage;
  const rect = { x: 0, y: 0, width, height };
  screen.pixels.fill(ground);
  const frame = frameOf(rect, extent(g.facts, 'o'), view.cameras[0]);
  const divider = Math.round(view.divider * width);
  drawPanel(screen, frame, pictureOf(g, 'o', 'ROW_MAJOR'), { to: divider });
  drawPanel(screen, frame, pictureOf(g, 'o', 'ROW_MAJOR', true), { from: divider });
  context.putImageData(image, 0, 0);
  drawOver(g, { order: 'ROW_MAJOR', axis: 'o', frame, misreadFrom: divider }, false);
  const { dpr } = view.stage;
  context.fillStyle = css(view.colours.ground);
  context.fillRect(divider - 3 * dpr, 0, 6 * dpr, height);
  context.fillStyle = css(view.colours.accent);
  context.fillRect(divider - dpr, 0, 2 * dpr, height);
  context.fillRect(divider - 5 * dpr, height / 2 - 18 * dpr, 10 * dpr, 36 * dpr);
}

/** @param {number[]} rgb @param {number} [alpha] */
function css([r, g, b], alpha = 1) {
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** @param {{ pixels: Uint32Array, width: number }} screen */
function clear({ pixels, width }, rect, colour) {
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    pixels.fill(colour, y * width + rect.x, y * width + rect.x + rect.width);
  }
}

function drawOver(g, panel, waiting) {
  const { frame, axis } = panel;
  const { rect } = frame;
  const { dpr } = view.stage;
  context.save();
  context.beginPath();
  context.rect(rect.x, rect.y, rect.width, rect.height);
  context.clip();
  if (Math.min(frame.sx, frame.sy) >= OUTLINES * dpr) outline(panel);
  if (Math.min(frame.sx, frame.sy) >= NUMBERS * dpr && !waiting) numbers(g, panel);
  if (view.misplaced && panel.order === view.misplaced.order) hatch(g, panel);
  if (view.focus) {
    light(panel, 'o', view.focus, view.colours.axisO);
    light(panel, 'b', view.focus, view.colours.axisB);
    box(panel, view.focus, view.colours.ink, 2 * dpr);
  }
  if (view.pin) corners(panel, view.pin);
  context.restore();
  context.strokeStyle = css(view.colours.line);
  context.lineWidth = dpr;
  context.strokeRect(rect.x + dpr / 2, rect.y + dpr / 2, rect.width - dpr, rect.height - dpr);
}

function rectOf(frame, axis, block) {
  const { line, column } = cellOf(axis, block);
  return cellRect(frame, line, column);
}

/** The cells that are on screen. */
function visible({ rect, extent: { lines, columns }, sx, sy, x0, y0 }) {
  return {
    fromColumn: Math.max(0, Math.floor((rect.x - x0) / sx)),
    toColumn: Math.min(columns, Math.ceil((rect.x + rect.width - x0) / sx)),
    fromLine: Math.max(0, Math.floor((rect.y - y0) / sy)),
    toLine: Math.min(lines, Math.ceil((rect.y + rect.height - y0) / sy)),
  };
}

function outline({ frame }) {
  const { fromColumn, toColumn, fromLine, toLine } = visible(frame);
  const { x0, y0, sx, sy } = frame;
  context.beginPath();
  for (let c = fromColumn; c <= toColumn; c++) {
    const x = Math.round(x0 + c * sx) + 0.5;
    context.moveTo(x, y0 + fromLine * sy);
    context.lineTo(x, y0 + toLine * sy);
  }
  for (let l = fromLine; l <= toLine; l++) {
    const y = Math.round(y0 + l * sy) + 0.5;
    context.moveTo(x0 + fromColumn * sx, y);
    context.lineTo(x0 + toColumn * sx, y);
  }
  context.strokeStyle = css(view.colours.ground, 0.55);
  context.lineWidth = 1;
  context.stroke();
}

function numbers(g, { frame, axis, order, misreadFrom = Infinity }) {
  const { fromColumn, toColumn, fromLine, toLine } = visible(frame);
  const { dpr } = view.stage;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let line = fromLine; line < toLine; line++) {
    for (let column = fromColumn; column < toColumn; column++) {
      const cell = cellRect(frame, line, column);
      const [x, y] = [cell.x + cell.width / 2, cell.y + cell.height / 2];
      const here = blockAt(axis, line, column);
      const { o, b } = x > misreadFrom ? misreadBlock(g.facts, here) : here;
      // A dark plate under the numbers: the colours below range from black to yellow.
      context.font = `600 ${13 * dpr}px system-ui, sans-serif`;
      const text = `${o},${b}`;
      const wide = Math.max(context.measureText(text).width, 20 * dpr) + 8 * dpr;
      if (wide > cell.width) continue;
      context.fillStyle = 'rgb(0 0 0 / 0.66)';
      context.fillRect(x - wide / 2, y - 17 * dpr, wide, 34 * dpr);
      context.fillStyle = '#fff';
      context.fillText(text, x, y - 7 * dpr);
      context.font = `${11 * dpr}px system-ui, sans-serif`;
      context.fillText(String(placeOf(order, g.facts, here)), x, y + 8 * dpr);
    }
  }
}

/** Marks blocks in the wrong place with strokes, not with colour alone. */
function hatch(g, { frame, axis }) {
  const { fromColumn, toColumn, fromLine, toLine } = visible(frame);
  if ((toColumn - fromColumn) * (toLine - fromLine) > 40_000) return;
  const wrong = view.misplaced.places;
  context.beginPath();
  for (let line = fromLine; line < toLine; line++) {
    for (let column = fromColumn; column < toColumn; column++) {
      const { o, b } = blockAt(axis, line, column);
      if (!wrong[o * g.facts.blocksPerRow + b]) continue;
      const { x, y, width, height } = cellRect(frame, line, column);
      context.moveTo(x, y + height);
      context.lineTo(x + width, y);
    }
  }
  context.strokeStyle = css(view.colours.error);
  context.lineWidth = Math.max(1, view.stage.dpr);
  context.stroke();
}

/** The row o or the column b of a block: along the lines in one panel, across them in the other. */
function light({ frame, axis }, coordinate, block, colour) {
  const cell = rectOf(frame, axis, block);
  const { rect } = frame;
  context.fillStyle = css(colour, 0.22);
  context.strokeStyle = css(colour, 0.95);
  context.lineWidth = view.stage.dpr;
  const band =
    coordinate === axis
      ? { x: rect.x, y: cell.y, width: rect.width, height: Math.max(cell.height, 1) }
      : { x: cell.x, y: rect.y, width: Math.max(cell.width, 1), height: rect.height };
  context.fillRect(band.x, band.y, band.width, band.height);
  context.strokeRect(band.x, band.y, band.width, band.height);
}

function box({ frame, axis }, block, colour, thick) {
  const cell = rectOf(frame, axis, block);
  const size = 7 * view.stage.dpr;
  const width = Math.max(cell.width, size);
  const height = Math.max(cell.height, size);
  const x = cell.x + (cell.width - width) / 2;
  const y = cell.y + (cell.height - height) / 2;
  context.lineWidth = thick + 2;
  context.strokeStyle = css(view.colours.ground);
  context.strokeRect(x, y, width, height);
  context.lineWidth = thick;
  context.strokeStyle = css(colour);
  context.strokeRect(x, y, width, height);
}

/** A pinned block has corner marks, so that it differs from the one under the pointer without colour. */
function corners({ frame, axis }, block) {
  const cell = rectOf(frame, axis, block);
  const { dpr } = view.stage;
  const pad = 5 * dpr;
  const [x0, y0] = [cell.x - pad, cell.y - pad];
  const [x1, y1] = [cell.x + cell.width + pad, cell.y + cell.height + pad];
  const arm = Math.max(5 * dpr, Math.min(x1 - x0, y1 - y0) / 4);
  context.beginPath();
  for (const [x, y, dx, dy] of [
    [x0, y0, 1, 1],
    [x1, y0, -1, 1],
    [x0, y1, 1, -1],
    [x1, y1, -1, -1],
  ]) {
    context.moveTo(x + dx * arm, y);
    context.lineTo(x, y);
    context.lineTo(x, y + dy * arm);
  }
  for (const [colour, wide] of [
    [view.colours.ground, 5],
    [view.colours.accent, 3],
  ]) {
    context.strokeStyle = css(colour);
    context.lineWidth = wide * dpr;
    context.stroke();
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
  const width = exact
    ? Math.min(16384, size.columns)
    : Math.round((shown.width / view.stage.dpr) * scale);
  const height = exact
    ? Math.min(16384, size.lines)
    : Math.round((shown.height / view.stage.dpr) * scale);
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

/** The pixels on screen, as the canvas gives them back. */
export function canvasHash(index) {
  const rect = stageLayout(view.stage)[index];
  const { data: bytes } = context.getImageData(rect.x, rect.y, rect.width, rect.height);
  return {
    hash: hashPixels(new Uint32Array(bytes.buffer), rect.width, { ...rect, x: 0, y: 0 }),
    rect,
  };
}
