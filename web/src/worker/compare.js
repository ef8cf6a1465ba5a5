/**
 * Holds bytes against the shown weight: what the library says, and which blocks it is about.
 */
import { wholeLibrary } from './library.js';
import { grid } from './grid.js';
import { partsOf } from './parts.js';
import { MOST, tensorBytes } from './relayout.js';
import { restsOf } from './rests.js';
import { joined } from './source.js';
import { blockAtPlace, placeOf } from '../picture/arrangement.js';
import { buildPyramid } from '../picture/pyramid.js';

/** Levels of a block in its place and of one that is not. */
const RIGHT = 60;
const WRONG = 255;

/**
 * Candidates made from the shown weight: what a converter with that mistake would write.
 * @type {Record<string, (pw: any, g: any, bytes: Uint8Array) => Uint8Array>}
 */
const EXAMPLES = {
  'kernel order': (pw, g, bytes) => relaid(pw, g, bytes),
  'file order': (_pw, _g, bytes) => bytes.slice(),
  'relaid twice': (pw, g, bytes) => relaid(pw, g, relaid(pw, g, bytes)),
  'relaid by the swapped label': (pw, g, bytes) => relaid(pw, g, bytes, true),
  'two blocks swapped': (pw, g, bytes) => {
    const made = relaid(pw, g, bytes);
    const size = g.tensor.blockBytes;
    const [a, b] = [Math.floor(g.total / 3), Math.floor((2 * g.total) / 3)].map((p) => p * size);
    const kept = made.slice(a, a + size);
    made.copyWithin(a, b, b + size);
    made.set(kept, b);
    return made;
  },
  'shifted by one byte': (pw, g, bytes) => {
    const made = relaid(pw, g, bytes);
    made.copyWithin(1, 0, made.length - 1);
    return made;
  },
  'cut short': (pw, g, bytes) => relaid(pw, g, bytes).slice(0, -g.tensor.blockBytes * 2),
};

export const EXAMPLE_NAMES = Object.keys(EXAMPLES);

function relaid(pw, g, bytes, swapped = false) {
  const { encoding, blockElements } = g.tensor;
  const { out, blocksPerRow } = g.facts;
  const [rows, blocks] = swapped ? [blocksPerRow, out] : [out, blocksPerRow];
  const inputDim = blocks * blockElements;
  return pw.toKernelOrder(pw.pack(bytes, { encoding, out: rows, inputDim, order: 'ROW_MAJOR' }))
    .bytes;
}

/**
 * @param {{ key: number, kernelOrder: boolean, file?: File, example?: string }} about
 * @param {AbortSignal} signal
 * @param {import('./main.js').Told} told
 */
export async function compareWith({ key, kernelOrder, file, example }, signal, told) {
  const pw = await wholeLibrary();
  const g = grid(key);
  const reference = await tensorBytes(key, signal, told);
  const observed = file
    ? await candidateBytes(pw, g, file, signal, told)
    : EXAMPLES[example](pw, g, reference);
  const { rest } = restsOf(signal, told('Comparing'));
  await rest(0, 0);
  const { out, blocksPerRow } = g.facts;
  const how = { kernelOrder, out, blocksPerRow, reference };
  const disagreement = pw.disagreement(observed, g.tensor.encoding, how);
  if (disagreement) await restsOf(signal, told('Looking for the mistake')).rest(0, 0);
  const diagnosis = disagreement && pw.diagnose(observed, g.tensor.encoding, how);
  const order = kernelOrder ? 'INPUT_BLOCK_MAJOR' : 'ROW_MAJOR';
  const marking = restsOf(signal, told('Marking the blocks'));
  const places = await misplacedBlocks(g, observed, reference, order, marking);
  const shades = places.map((wrong) => (wrong ? WRONG : RIGHT));
  g.levels.misplaced = buildPyramid(shades, g.facts);
  g.compared = { order, places };
  return {
    gridKey: key,
    name: file?.name ?? `example: ${example}`,
    order,
    disagreement,
    diagnosis,
    marked: places.reduce((n, wrong) => n + wrong, 0),
    bytes: observed.length,
  };
}

/** A GGUF gives its tensor of the shown name, anything else is the bytes themselves. */
async function candidateBytes(pw, g, file, signal, told) {
  const magic = new TextDecoder().decode(await file.slice(0, 4).arrayBuffer());
  const read = async (offset, length) =>
    new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
  const bytesOf = (offset, length) => {
    const parts = partsOf({ from: file, read, offset, length }, 1, signal);
    return joined(parts, length, told(`Reading ${file.name}`));
  };
  const size = g.total * g.tensor.blockBytes;
  const requireFit = (length) => {
    if (length <= MOST) return;
    const error = new Error(
      `${file.name} has ${length} bytes, the shown weight has ${size}: it is another thing. Give the bytes of this weight alone, or a GGUF file with it.`,
    );
    throw Object.assign(error, { code: 'TOO_LARGE', tensor: g.tensor.name });
  };
  if (magic !== 'GGUF') {
    requireFit(file.size);
    return bytesOf(0, file.size);
  }
  const other = await pw.openGguf(file, { signal });
  const { encoding } = other.tensor(g.tensor.name);
  if (encoding !== g.tensor.encoding) {
    const error = new Error(
      `${file.name} holds ${g.tensor.name} as ${encoding ?? 'a type that is not read'}, the shown weight is ${g.tensor.encoding}: bytes of two encodings cannot be compared.`,
    );
    throw Object.assign(error, { code: 'SHAPE_MISMATCH', tensor: g.tensor.name });
  }
  const { offset, length } = other.range(g.tensor.name);
  if (g.slices === 1) {
    requireFit(length);
    return bytesOf(offset, length);
  }
  // A stack is compared grid by grid.
  const from = Math.min(g.slice * size, length);
  return bytesOf(offset + from, Math.min(size, length - from));
}

/** One byte per block in file order: 1 where the memory holds something else at its place. */
async function misplacedBlocks(g, observed, reference, order, { due, rest }) {
  const size = g.tensor.blockBytes;
  const places = new Uint8Array(g.total);
  for (let place = 0; place < g.total; place++) {
    if (place % 4096 === 0 && due()) await rest(place * size, reference.length);
    const right = placeOf('ROW_MAJOR', g.facts, blockAtPlace(order, g.facts, place));
    let [at, from] = [place * size, right * size];
    for (const end = at + size; at < end; at++, from++) {
      if (observed[at] !== reference[from]) {
        places[right] = 1;
        break;
      }
    }
  }
  return places;
}

/** @param {{ key: number, o: number, b: number, by: number }} about @returns {{ o: number, b: number } | null} */
export function nextMisplaced({ key, o, b, by }) {
  const g = grid(key);
  if (!g.compared) return null;
  const { order, places } = g.compared;
  const at = placeOf(order, g.facts, { o, b });
  for (let n = 1; n <= g.total; n++) {
    const block = blockAtPlace(order, g.facts, (at + by * n + 2 * g.total) % g.total);
    if (places[placeOf('ROW_MAJOR', g.facts, block)]) return block;
  }
  return null;
}
