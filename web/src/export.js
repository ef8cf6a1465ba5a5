/**
 * Everything that leaves the page as a file is made here, and all of it is named
 * `<file>.<tensor>.<what>.<ext>`.
 */
import { ORDERS, blockAt, blockCount, extent, placeOf } from './picture/arrangement.js';

/** Above this many cells an SVG is slower to open than a PNG. */
export const SVG_CELLS = 4096;

/** Above this many rows the permutation is a file nobody opens. */
export const CSV_BLOCKS = 1 << 20;

/**
 * @param {string} file
 * @param {string} tensor
 * @param {string} what
 * @param {string} ext
 */
export function exportName(file, tensor, what, ext) {
  const clean = (/** @type {string} */ s) =>
    s.replace(/[^\w.-]+/g, '_').replace(/^[._]+|[._]+$/g, '');
  const parts = [clean(file.replace(/\.gguf$/i, '')), clean(tensor), clean(what)].filter(Boolean);
  return `${parts.join('.')}.${ext}`;
}

/**
 * One line per block in file order, in pieces that follow each other.
 * @param {import('./picture/arrangement.js').Grid} grid
 * @returns {Generator<string, void, void>}
 */
export function* permutationCsv(grid) {
  const total = blockCount(grid);
  if (total > CSV_BLOCKS)
    throw new RangeError(`${total} blocks are more than ${CSV_BLOCKS} lines of CSV`);
  let lines = ['o,b,row_major,input_block_major\n'];
  for (let o = 0; o < grid.out; o++) {
    for (let b = 0; b < grid.blocksPerRow; b++) {
      const places = ORDERS.map((order) => placeOf(order, grid, { o, b }));
      lines.push(`${[o, b, ...places].join(',')}\n`);
      if (lines.length < 4096) continue;
      yield lines.join('');
      lines = [];
    }
  }
  yield lines.join('');
}

/**
 * @param {object} panel
 * @param {import('./picture/arrangement.js').Grid} panel.grid
 * @param {'o' | 'b'} panel.axis of its lines
 * @param {string} panel.title
 * @param {(o: number, b: number) => [number, number, number]} panel.colour
 */
export function panelSvg({ grid, axis, title, colour }) {
  const { lines, columns } = extent(grid, axis);
  if (lines * columns > SVG_CELLS) {
    throw new RangeError(
      `${lines * columns} blocks are more than the ${SVG_CELLS} of an SVG; take the PNG`,
    );
  }
  const cell = 16;
  const cells = [];
  for (let line = 0; line < lines; line++) {
    for (let column = 0; column < columns; column++) {
      const { o, b } = blockAt(axis, line, column);
      cells.push(
        `<rect x="${column * cell}" y="${line * cell}" width="${cell - 1}" height="${cell - 1}" ` +
          `fill="rgb(${colour(o, b).join(',')})"><title>(${o}, ${b})</title></rect>`,
      );
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * cell} ${lines * cell}">` +
    `<title>${escapeXml(title)}</title>${cells.join('')}</svg>\n`
  );
}

/**
 * Everything about a block. JSON has no word for a value that is not finite: such a one is text.
 * @param {{ file: string, tensor: string, grid: import('./page.js').GridFacts,
 *   block: { o: number, b: number, bytes: Uint8Array, values: Float32Array } }} of
 */
export function blockJson({ file, tensor, grid, block }) {
  const { o, b, bytes, values } = block;
  const [row, kernel] = ORDERS.map((order) => placeOf(order, grid, { o, b }));
  return JSON.stringify(
    {
      schemaVersion: 1,
      file,
      tensor,
      encoding: grid.encoding,
      o,
      b,
      places: { ROW_MAJOR: row, INPUT_BLOCK_MAJOR: kernel },
      offset: grid.offset + row * grid.blockBytes,
      bytes: Array.from(bytes),
      values: Array.from(values, (v) => (Number.isFinite(v) ? v : String(v))),
    },
    null,
    1,
  );
}

/** @param {string} s */
export function escapeXml(s) {
  return s.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** @param {Uint8Array} bytes */
export function asHex(bytes) {
  return Array.from(bytes, (v) => v.toString(16).padStart(2, '0')).join(' ');
}

/**
 * @param {Uint8Array} bytes
 * @param {'hex' | 'c' | 'js' | 'json'} form
 */
export function bytesAs(bytes, form) {
  const list = (/** @type {string} */ prefix) =>
    Array.from(bytes, (v) => prefix + v.toString(16).padStart(2, '0'));
  if (form === 'c')
    return `static const uint8_t block[${bytes.length}] = {\n${wrap(list('0x'))}\n};\n`;
  if (form === 'js') return `const block = Uint8Array.of(\n${wrap(list('0x'))}\n);\n`;
  if (form === 'json') return JSON.stringify(Array.from(bytes));
  return asHex(bytes);
}

/** @param {string[]} words */
function wrap(words) {
  const lines = [];
  for (let i = 0; i < words.length; i += 12) lines.push('  ' + words.slice(i, i + 12).join(', '));
  return lines.join(',\n');
}

/** @param {{ rule: string, severity: string, message: string, offset?: number | null, tensor?: string | null }[]} findings */
export function findingsMarkdown(findings) {
  const cell = (/** @type {unknown} */ s) =>
    String(s ?? '')
      .replace(/[\\|]/g, '\\$&')
      .replace(/\s+/g, ' ');
  const rows = findings.map(
    (f) => `| ${[f.severity, f.rule, f.tensor, f.offset, f.message].map(cell).join(' | ')} |`,
  );
  return [
    '| severity | rule | tensor | offset | message |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/**
 * @param {string} name
 * @param {Blob} blob
 */
export function download(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser needs the address until it has begun to read.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
