/** The real relayout of the shown tensor, through the package, with its real price. */
import { library } from './library.js';
import { grid } from './grid.js';
import { readWindow } from './source.js';

/** Two copies of the tensor are in memory while it runs. */
const MOST = 512 * 1024 * 1024;

/** @param {number} key @param {AbortSignal} signal */
export async function prepackShown(key, signal) {
  const pw = await library();
  const g = grid(key);
  const bytes = await tensorBytes(key);
  signal.throwIfAborted();
  const sink = pw.trace();
  const scope = pw.scope();
  try {
    const { out, blocksPerRow } = g.facts;
    const inputDim = blocksPerRow * g.tensor.blockElements;
    const packed = pw.pack(bytes, {
      encoding: g.tensor.encoding,
      out,
      inputDim,
      order: 'ROW_MAJOR',
    });
    const view = pw.view(packed, { scope });
    const kernel = view.prepack('INPUT_BLOCK_MAJOR', { scope, sink });
    kernel[Symbol.dispose]?.();
    view[Symbol.dispose]?.();
    return { events: structuredClone([...sink.events]), chrome: sink.toChromeTrace?.() ?? null };
  } finally {
    scope[Symbol.dispose]();
  }
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
  const g = grid(key);
  const { out, blocksPerRow } = g.facts;
  const inputDim = blocksPerRow * g.tensor.blockElements;
  const bytes = await tensorBytes(key);
  const packed = pw.pack(bytes, { encoding: g.tensor.encoding, out, inputDim, order: 'ROW_MAJOR' });
  return pw.toKernelOrder(packed).bytes;
}
