/**
 * What lies over the pixels of a panel: the lit row and column, outlines, numbers, marks.
 */
import { blockAt, blockAtPlace, cellOf, misreadBlock, placeOf } from '../picture/arrangement.js';
import { cellRect } from '../picture/camera.js';
import { progressOf } from '../picture/flight.js';

const OUTLINES = 8;
const NUMBERS = 40;

/** @type {OffscreenCanvasRenderingContext2D} */
let context;
/** @type {any} */
let view;

/** @param {number[]} rgb @param {number} [alpha] */
export function css([r, g, b], alpha = 1) {
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/**
 * @param {OffscreenCanvasRenderingContext2D} on
 * @param {any} of the view
 * @param {any} g the grid
 * @param {any} panel
 * @param {boolean} waiting for blocks that have not landed
 */
export function drawOver(on, of, g, panel, waiting) {
  context = on;
  view = of;
  const { frame } = panel;
  const { rect } = frame;
  const { dpr } = view.stage;
  context.save();
  context.beginPath();
  context.rect(rect.x, rect.y, rect.width, rect.height);
  context.clip();
  if (Math.min(frame.sx, frame.sy) >= OUTLINES * dpr) outline(panel);
  if (view.misplaced && g.compared && panel.order === view.misplaced.order) hatch(g, panel);
  if (view.focus) {
    light(panel, 'o', view.focus, view.colours.axisO);
    light(panel, 'b', view.focus, view.colours.axisB);
  }
  // Above every tint, to be read on all of them.
  if (Math.min(frame.sx, frame.sy) >= NUMBERS * dpr && !waiting) numbers(g, panel);
  if (view.focus) box(panel, view.focus, view.colours.ink, 2 * dpr);
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
  const wrong = g.compared?.places ?? [];
  context.fillStyle = strokes();
  for (let line = fromLine; line < toLine; line++) {
    for (let column = fromColumn; column < toColumn; column++) {
      const { o, b } = blockAt(axis, line, column);
      if (!wrong[o * g.facts.blocksPerRow + b]) continue;
      const { x, y, width, height } = cellRect(frame, line, column);
      context.fillRect(x, y, width, height);
    }
  }
}

/** @type {Map<number, CanvasPattern>} */
const patterns = new Map();

/** Slanted strokes, as far apart on every block, however large it is; dark, as blocks in the wrong place are bright. */
function strokes() {
  const size = 8 * view.stage.dpr;
  if (!patterns.has(size)) {
    const tile = new OffscreenCanvas(size, size);
    const on = tile.getContext('2d');
    on.lineWidth = size / 5;
    on.strokeStyle = 'rgb(88 0 16)';
    for (const shift of [-size, 0, size]) {
      on.moveTo(shift - 1, size + 1);
      on.lineTo(shift + size + 1, -1);
    }
    on.stroke();
    patterns.set(size, context.createPattern(tile, 'repeat'));
  }
  return patterns.get(size);
}

/** The row o or the column b of a block: along the lines in one panel, across them in the other. */
function light({ frame, axis }, coordinate, block, colour) {
  const cell = rectOf(frame, axis, block);
  context.fillStyle = css(colour, 0.22);
  context.strokeStyle = css(colour, 0.95);
  context.lineWidth = view.stage.dpr;
  const { x0, y0, sx, sy, extent } = frame;
  const band =
    coordinate === axis
      ? { x: x0, y: cell.y, width: extent.columns * sx, height: Math.max(cell.height, 1) }
      : { x: cell.x, y: y0, width: Math.max(cell.width, 1), height: extent.lines * sy };
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

/**
 * Names on the blocks of a small grid while they fly.
 * @param {OffscreenCanvasRenderingContext2D} on
 * @param {any} of the view
 */
export function nameFlying(on, of, g, from, to) {
  context = on;
  view = of;
  const { dpr } = view.stage;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `600 ${13 * dpr}px system-ui, sans-serif`;
  for (let place = 0; place < g.total; place++) {
    const p = progressOf(view.flight, place / g.total);
    if (p <= 0) break;
    const block = blockAtPlace('ROW_MAJOR', g.facts, place);
    const a = rectOf(from.frame, 'o', block);
    const b = rectOf(to.frame, to.axis, block);
    const mix = (key) => a[key] * (1 - p) + b[key] * p;
    const [x, y, width, height] = [mix('x'), mix('y'), mix('width'), mix('height')];
    if (Math.min(width, height) < NUMBERS * dpr) continue;
    context.strokeStyle = css(view.colours.ground);
    context.lineWidth = 2 * dpr;
    context.strokeRect(x, y, width, height);
    context.fillStyle = 'rgb(0 0 0 / 0.66)';
    context.fillRect(x + width / 2 - 20 * dpr, y + height / 2 - 10 * dpr, 40 * dpr, 20 * dpr);
    context.fillStyle = '#fff';
    context.fillText(`${block.o},${block.b}`, x + width / 2, y + height / 2);
  }
}
