/** The real relayout of the shown tensor, through the package, with its real price. */
import { library } from './library.js';
import { grid } from './grid.js';
import { readWindow } from './source.js';

/** Two copies of the tensor are in memory while it runs. */
export const MOST = 512 * 1024 * 1024;

/** Every event since the page was opened, or since it was cleared. @type {any} */
let trace = null;

/** @param {number} key @param {AbortSignal} signal */
export async function prepackShown(key, signal) {
  const pw = await library();
  const packed = await packedShown(pw, key);
  signal.throwIfAborted();
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

async function packedShown(pw, key) {
  const g = grid(key);
  const { out, blocksPerRow } = g.facts;
  const { encoding, blockElements } = g.tensor;
  const bytes = await tensorBytes(key);
  return pw.pack(bytes, {
    encoding,
    out,
    inputDim: blocksPerRow * blockElements,
    order: 'ROW_MAJOR',
  });
}

/** @param {number} key */
export async function tensorBytes(key) {
  const g = grid(key);
  const length = g.total * g.tensor.blockBytes;
  if (length > MOST) {
    const error = new Error(
      `This needs two copies of ${length} bytes in memory; the page stops at ${MOST}. The command line prepacks files of any size: packed-weights prepack FILE -o FOLDER.`,
    );
    throw Object.assign(error, { code: 'TOO_LARGE', tensor: g.tensor.name });
  }
  return readWindow(g.tensor, 0, length);
}

/** @param {number} key */
export async function prepackedBytes(key) {
  const pw = await library();
  return pw.toKernelOrder(await packedShown(pw, key)).bytes;
}
