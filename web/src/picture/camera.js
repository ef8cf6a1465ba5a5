/**
 * What part of a panel's cells is on screen. `z` is pixels per block; an axis that would leave room at
 * that zoom is stretched, up to `STRETCH` pixels a cell, because real grids are thousands of rows tall and
 * a few dozen blocks wide. All lengths are device pixels of the stage.
 *
 * @typedef {import('./arrangement.js').Rect} Rect
 * @typedef {{ z: number, column: number, line: number }} Camera z = 0 fits everything; column and line stand in the middle
 * @typedef {{ lines: number, columns: number }} Extent
 * @typedef {{ rect: Rect, extent: Extent, sx: number, sy: number, x0: number, y0: number }} Frame
 *   cell (line, column) covers x0 + column*sx .. + sx, y0 + line*sy .. + sy, in stage pixels
 */

const STRETCH = 24;
const CLOSEST = 160;

/** @type {Readonly<Camera>} */
export const FIT = Object.freeze({ z: 0, column: 0, line: 0 });

/**
 * @param {Rect} rect
 * @param {Extent} extent
 */
export function fitZoom(rect, extent) {
  return Math.min(CLOSEST, rect.width / extent.columns, rect.height / extent.lines);
}

/**
 * @param {number} room pixels of the panel on this axis
 * @param {number} cells
 * @param {number} z
 */
function axisScale(room, cells, z) {
  return Math.max(z, Math.min(room / cells, Math.max(z, STRETCH)));
}

/**
 * Where the first cell begins: centred when everything fits, otherwise following the camera and
 * stopping at the ends.
 * @param {number} from
 * @param {number} room
 * @param {number} cells
 * @param {number} scale
 * @param {number} middle
 */
function origin(from, room, cells, scale, middle) {
  const size = cells * scale;
  if (size <= room + 1e-6) return from + (room - size) / 2;
  const wanted = room / 2 - (middle + 0.5) * scale;
  return from + Math.min(0, Math.max(room - size, wanted));
}

/**
 * @param {Rect} rect
 * @param {Extent} extent
 * @param {Camera} camera
 * @returns {Frame}
 */
export function frameOf(rect, extent, camera) {
  const fit = fitZoom(rect, extent);
  const z = camera.z > 0 ? Math.min(CLOSEST, Math.max(fit, camera.z)) : fit;
  const sx = axisScale(rect.width, extent.columns, z);
  const sy = axisScale(rect.height, extent.lines, z);
  return {
    rect,
    extent,
    sx,
    sy,
    x0: origin(rect.x, rect.width, extent.columns, sx, camera.column),
    y0: origin(rect.y, rect.height, extent.lines, sy, camera.line),
  };
}

/**
 * The cell under a stage pixel, or null beside the cells or outside the panel.
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 */
export function pick(frame, x, y) {
  const { rect, extent, sx, sy, x0, y0 } = frame;
  if (x < rect.x || y < rect.y || x >= rect.x + rect.width || y >= rect.y + rect.height)
    return null;
  const column = Math.floor((x - x0) / sx);
  const line = Math.floor((y - y0) / sy);
  if (column < 0 || line < 0 || column >= extent.columns || line >= extent.lines) return null;
  return { line, column };
}

/**
 * @param {Frame} frame
 * @param {number} line
 * @param {number} column
 * @returns {Rect}
 */
export function cellRect(frame, line, column) {
  return {
    x: frame.x0 + column * frame.sx,
    y: frame.y0 + line * frame.sy,
    width: frame.sx,
    height: frame.sy,
  };
}

/** @param {Frame} frame the cell in the middle of the panel, with fractions */
function middleOf(frame) {
  const { rect, sx, sy, x0, y0 } = frame;
  return {
    column: (rect.x + rect.width / 2 - x0) / sx - 0.5,
    line: (rect.y + rect.height / 2 - y0) / sy - 0.5,
  };
}

/**
 * The camera that shows a cell, moved as little as possible.
 * @param {Camera} camera
 * @param {Frame} frame
 * @param {number} line
 * @param {number} column
 * @returns {Camera}
 */
export function reveal(camera, frame, line, column) {
  const middle = middleOf(frame);
  const halfColumns = Math.max(0, frame.rect.width / frame.sx / 2 - 1);
  const halfLines = Math.max(0, frame.rect.height / frame.sy / 2 - 1);
  const near = (/** @type {number} */ at, /** @type {number} */ to, /** @type {number} */ half) =>
    Math.min(to + half, Math.max(to - half, at));
  return {
    z: camera.z,
    column: near(middle.column, column, halfColumns),
    line: near(middle.line, line, halfLines),
  };
}

/**
 * Zooms so that the cell under the pixel stays under it.
 * @param {Camera} camera
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 * @param {number} factor
 * @returns {Camera}
 */
export function zoomAt(camera, frame, x, y, factor) {
  return placed(frame, pointIn(frame, x, y), x, y, zoomOf(camera, frame) * factor);
}

/** Pixels per block, also where everything is fitted. @param {Camera} camera @param {Frame} frame */
export function zoomOf(camera, { rect, extent }) {
  const fit = fitZoom(rect, extent);
  return camera.z > 0 ? Math.max(fit, camera.z) : fit;
}

/**
 * What is under a stage pixel, in cells, with fractions.
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 */
export function pointIn({ x0, y0, sx, sy }, x, y) {
  return { column: (x - x0) / sx, line: (y - y0) / sy };
}

/**
 * The camera of this zoom that has a point of the cells under a stage pixel.
 * @param {Frame} frame
 * @param {{ column: number, line: number }} point
 * @param {number} x
 * @param {number} y
 * @param {number} zoom
 * @returns {Camera}
 */
export function placed({ rect, extent }, { column, line }, x, y, zoom) {
  const z = Math.min(CLOSEST, zoom);
  if (z <= fitZoom(rect, extent)) return { ...FIT };
  const next = frameOf(rect, extent, { z, column: 0, line: 0 });
  return {
    z,
    column: column - (x - rect.x - rect.width / 2) / next.sx - 0.5,
    line: line - (y - rect.y - rect.height / 2) / next.sy - 0.5,
  };
}

/**
 * @param {Camera} camera
 * @param {Frame} frame
 * @param {number} dx stage pixels the picture moves to the right
 * @param {number} dy
 * @returns {Camera}
 */
export function pan(camera, frame, dx, dy) {
  const middle = middleOf(frame);
  const moved = {
    z: camera.z,
    column: middle.column - dx / frame.sx,
    line: middle.line - dy / frame.sy,
  };
  return { z: camera.z, ...middleOf(frameOf(frame.rect, frame.extent, moved)) };
}
