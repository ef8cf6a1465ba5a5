/**
 * Where a block of a weight stands in a panel. A panel wraps one memory at its natural width, so its
 * lines are rows of the file order (`blocksPerRow` cells) or columns of the kernel order (`out` cells),
 * and the flat index of a cell is always `line * lineLength + column`.
 *
 * @typedef {{ out: number, blocksPerRow: number }} Grid
 * @typedef {'ROW_MAJOR' | 'INPUT_BLOCK_MAJOR'} Order
 * @typedef {'memory' | 'logical'} Wrap `logical` draws the same [o, b] grid whatever the order
 * @typedef {{ o: number, b: number }} Block
 * @typedef {{ x: number, y: number, width: number, height: number }} Rect
 */

/** @type {readonly Order[]} */
export const ORDERS = ['ROW_MAJOR', 'INPUT_BLOCK_MAJOR'];

/**
 * Which coordinate counts the lines of a panel.
 * @param {Order} order
 * @param {Wrap} [wrap]
 * @returns {'o' | 'b'}
 */
export function lineAxis(order, wrap = 'memory') {
  return wrap === 'logical' || order === 'ROW_MAJOR' ? 'o' : 'b';
}

/**
 * @param {Grid} grid
 * @param {'o' | 'b'} axis
 * @returns {{ lines: number, columns: number }}
 */
export function extent(grid, axis) {
  return axis === 'o'
    ? { lines: grid.out, columns: grid.blocksPerRow }
    : { lines: grid.blocksPerRow, columns: grid.out };
}

/**
 * @param {'o' | 'b'} axis
 * @param {number} line
 * @param {number} column
 * @returns {Block}
 */
export function blockAt(axis, line, column) {
  return axis === 'o' ? { o: line, b: column } : { o: column, b: line };
}

/**
 * @param {'o' | 'b'} axis
 * @param {Block} block
 * @returns {{ line: number, column: number }}
 */
export function cellOf(axis, block) {
  return axis === 'o' ? { line: block.o, column: block.b } : { line: block.b, column: block.o };
}

/**
 * The place of a block in the memory of one order, counted in blocks.
 * @param {Order} order
 * @param {Grid} grid
 * @param {Block} block
 */
export function placeOf(order, grid, block) {
  const axis = lineAxis(order);
  const { line, column } = cellOf(axis, block);
  return line * extent(grid, axis).columns + column;
}

/**
 * @param {Order} order
 * @param {Grid} grid
 * @param {number} place
 * @returns {Block}
 */
export function blockAtPlace(order, grid, place) {
  const axis = lineAxis(order);
  const { columns } = extent(grid, axis);
  const line = Math.floor(place / columns);
  return blockAt(axis, line, place - line * columns);
}

/**
 * The block that somebody meets at (o, b) who takes the file's bytes for kernel order.
 * @param {Grid} grid
 * @param {Block} block
 */
export function misreadBlock(grid, block) {
  return blockAtPlace('ROW_MAJOR', grid, placeOf('INPUT_BLOCK_MAJOR', grid, block));
}

/** @param {Grid} grid */
export function blockCount(grid) {
  return grid.out * grid.blocksPerRow;
}

/**
 * How many blocks a wrong reading moves: fixed points of the relayout stay.
 * `o * blocksPerRow + b = b * out + o` holds where o (blocksPerRow - 1) = b (out - 1), which has
 * gcd(blocksPerRow - 1, out - 1) + 1 solutions when both sides can move.
 * @param {Grid} grid
 */
export function displacedCount(grid) {
  const { out, blocksPerRow } = grid;
  if (out <= 1 || blocksPerRow <= 1) return 0;
  let [a, c] = [out - 1, blocksPerRow - 1];
  while (c) [a, c] = [c, a % c];
  return out * blocksPerRow - (a + 1);
}

/**
 * The two panels of the stage: side by side, or one under the other when the stage is narrow.
 * @param {number} width
 * @param {number} height
 * @param {{ gap: number, stacked: boolean }} how
 * @returns {[Rect, Rect]}
 */
export function panelRects(width, height, { gap, stacked }) {
  if (stacked) {
    const each = Math.max(1, Math.floor((height - gap) / 2));
    return [
      { x: 0, y: 0, width, height: each },
      { x: 0, y: height - each, width, height: each },
    ];
  }
  const each = Math.max(1, Math.floor((width - gap) / 2));
  return [
    { x: 0, y: 0, width: each, height },
    { x: width - each, y: 0, width: each, height },
  ];
}
