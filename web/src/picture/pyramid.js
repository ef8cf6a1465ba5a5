/**
 * Smaller copies of the block grid for pictures with less than a pixel per block. Every level keeps the
 * largest of four (taken without a branch) along the axis that is longer at that point, so the whole pyramid costs a third of the
 * base and also suits grids that are much taller than wide.
 *
 * @typedef {import('./arrangement.js').Grid} Grid
 * @typedef {{ values: Uint8Array, out: number, blocks: number, perO: number, perB: number }} Level
 *   `values[o * blocks + b]` is the largest of perO x perB blocks of the base
 */
const SMALLEST = 256;

/**
 * @param {Uint8Array} base one byte per block in file order
 * @param {Grid} grid
 * @returns {Level[]} the base first
 */
export function buildPyramid(base, grid) {
  let top = { values: base, out: grid.out, blocks: grid.blocksPerRow, perO: 1, perB: 1 };
  const levels = [top];
  while (Math.max(top.out, top.blocks) > SMALLEST) {
    top = top.out >= top.blocks ? fewerRows(top) : fewerColumns(top);
    levels.push(top);
  }
  return levels;
}

/** @param {Level} from @returns {Level} */
function fewerRows({ values, out, blocks, perO, perB }) {
  const rows = Math.ceil(out / 4);
  const smaller = new Uint8Array(rows * blocks);
  for (let r = 0; r < rows; r++) {
    const target = r * blocks;
    const last = Math.min(out, r * 4 + 4);
    for (let o = r * 4; o < last; o++) {
      const source = o * blocks;
      for (let b = 0; b < blocks; b++) {
        const d = smaller[target + b] - values[source + b];
        smaller[target + b] -= d & (d >> 31);
      }
    }
  }
  return { values: smaller, out: rows, blocks, perO: perO * 4, perB };
}

/** @param {Level} from @returns {Level} */
function fewerColumns({ values, out, blocks, perO, perB }) {
  const columns = Math.ceil(blocks / 4);
  const smaller = new Uint8Array(out * columns);
  for (let o = 0; o < out; o++) {
    const source = o * blocks;
    const target = o * columns;
    for (let b = 0; b < blocks; b++) {
      const at = target + (b >> 2);
      const d = smaller[at] - values[source + b];
      smaller[at] -= d & (d >> 31);
    }
  }
  return { values: smaller, out, blocks: columns, perO, perB: perB * 4 };
}

/**
 * The coarsest level whose cells are still at most a pixel.
 * @param {Level[]} levels
 * @param {number} pixelsPerO
 * @param {number} pixelsPerB
 */
export function chooseLevel(levels, pixelsPerO, pixelsPerB) {
  let chosen = levels[0];
  for (const level of levels) {
    if (level.perO * pixelsPerO > 1 && level.perO > 1) break;
    if (level.perB * pixelsPerB > 1 && level.perB > 1) break;
    chosen = level;
  }
  return chosen;
}
