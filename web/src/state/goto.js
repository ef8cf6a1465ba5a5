/**
 * What people type into "go to": `12,3` is (o, b), `@57` a flat index in the panel they are in, `0x1a2f40`
 * an offset in the file.
 */
import { blockAtPlace, blockCount } from '../picture/arrangement.js';

/**
 * @param {string} typed
 * @param {object} where
 * @param {import('../picture/arrangement.js').Grid} where.grid
 * @param {import('../picture/arrangement.js').Order} where.order of the panel in use
 * @param {number} where.offset of the grid's first byte in the file
 * @param {number} where.blockBytes
 * @returns {{ block: import('../picture/arrangement.js').Block } | { problem: string }}
 */
export function parseGoto(typed, { grid, order, offset, blockBytes }) {
  const s = typed.trim();
  const pair = /^(\d+)\s*[, ]\s*(\d+)$/.exec(s);
  if (pair) {
    const [o, b] = [Number(pair[1]), Number(pair[2])];
    if (o >= grid.out) return { problem: `o ${o} is outside 0..${grid.out - 1}` };
    if (b >= grid.blocksPerRow) return { problem: `b ${b} is outside 0..${grid.blocksPerRow - 1}` };
    return { block: { o, b } };
  }
  const total = blockCount(grid);
  const flat = /^@\s*(\d+)$/.exec(s);
  if (flat) {
    const place = Number(flat[1]);
    if (place >= total) return { problem: `flat ${place} is outside 0..${total - 1}` };
    return { block: blockAtPlace(order, grid, place) };
  }
  if (/^0x[0-9a-f]{1,14}$/i.test(s)) {
    const place = Math.floor((Number(s) - offset) / blockBytes);
    if (place < 0 || place >= total) {
      const last = offset + total * blockBytes - 1;
      return {
        problem: `${s} is outside this tensor, 0x${offset.toString(16)} to 0x${last.toString(16)}`,
      };
    }
    return { block: blockAtPlace('ROW_MAJOR', grid, place) };
  }
  return { problem: 'write o,b or @flat or 0xoffset' };
}
