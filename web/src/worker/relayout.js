/** The real relayout of the shown tensor, through the package, with its real price; and what is read for it. */
import { permutationCsv } from '../export.js';
import { library } from './library.js';
import { grid } from './grid.js';
import { restsOf } from './rests.js';
import { readWhole } from './source.js';

/** @typedef {import('./main.js').Told} Told */

/** Two copies of the tensor are in memory while it runs. */
export const MOST = 512 * 1024 * 1024;

/** Every event since the page was opened, or since it was cleared. @type {any} */
let trace = null;

/** @param {number} key @param {AbortSignal} signal @param {Told} told */
export async function prepackShown(key, signal, told) {
  const pw = await library();
  const packed = await packedShown(pw, key, signal, told);
  trace ??= pw.trace();
  const first = trace.events.length;
  const scope = pw.scope({ name: 'page', sink: trace });
  try {
    pw.view(packed, { scope }).prepack('INPUT_BLOCK_MAJOR', { scope, sink: trace });
  } finally {
    scope.close();
  }
  return { events: trace.events, first };
}

export function chromeTrace() {
  return trace?.toChromeTrace() ?? { traceEvents: [] };
}

export function clearTrace() {
  trace?.clear();
  return [];
}

/** The shown weight, ready for a relayout, which nothing interrupts. */
async function packedShown(pw, key, signal, told) {
  const g = grid(key);
  const { out, blocksPerRow } = g.facts;
  const { encoding, blockElements } = g.tensor;
  const bytes = await tensorBytes(key, signal, told);
  const inputDim = blocksPerRow * blockElements;
  const packed = pw.pack(bytes, { encoding, out, inputDim, order: 'ROW_MAJOR' });
  await restsOf(signal, told('Prepacking')).rest(0, 0);
  return packed;
}

/** @param {number} key @param {AbortSignal} signal @param {Told} told */
export async function tensorBytes(key, signal, told) {
  const g = grid(key);
  const length = g.total * g.tensor.blockBytes;
  if (length > MOST) {
    const error = new Error(
      `This needs two copies of ${length} bytes in memory; the page stops at ${MOST}. The command line prepacks files of any size: packed-weights prepack FILE -o FOLDER.`,
    );
    throw Object.assign(error, { code: 'TOO_LARGE', tensor: g.tensor.name });
  }
  return readWhole(g.tensor, length, signal, told(`Reading ${g.tensor.name}`));
}

/** @param {number} key @param {AbortSignal} signal @param {Told} told */
export async function prepackedBytes(key, signal, told) {
  const pw = await library();
  return pw.toKernelOrder(await packedShown(pw, key, signal, told)).bytes;
}

/** @param {number} key @param {AbortSignal} signal @param {Told} told @returns {Promise<Blob>} */
export async function permutationOf(key, signal, told) {
  const { facts } = grid(key);
  const { due, rest } = restsOf(signal, told('Writing the permutation'));
  const pieces = [];
  for (const piece of permutationCsv(facts)) {
    pieces.push(piece);
    if (due()) await rest(0, 0);
  }
  return new Blob(pieces, { type: 'text/csv' });
}
