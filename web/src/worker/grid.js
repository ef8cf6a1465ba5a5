/**
 * One tensor as the picture needs it: a byte of brightness per block and its pyramid, made in one pass
 * over its bytes.
 */
import { byteWords, rawNumbers } from './block-words.js';
import { library } from './library.js';
import { restsOf } from './rests.js';
import { readBytes, readParts, readWhole, tensorNamed } from './source.js';
import { levelsOf } from '../picture/levels.js';
import { buildPyramid } from '../picture/pyramid.js';
import { blockCount, misreadBlock } from '../picture/arrangement.js';
import { identityLevel } from '../picture/colour-map.js';
import { positionLevel } from '../picture/raster.js';

/** The error channel decodes everything twice: only for tensors that fit in memory comfortably. */
export const MOST_DECODED = 64 * 1024 * 1024;

/** @type {any} */
let current = null;
let keys = 0;

/** @param {number} [key] */
export function grid(key) {
  if (key !== undefined && current?.key !== key)
    throw new DOMException('Another tensor is shown, or read.', 'AbortError');
  if (!current) throw Object.assign(new Error('No tensor is shown.'), { code: 'NO_TENSOR' });
  return current;
}

export function gridOrNull() {
  return current;
}

export function dropGrid() {
  current = null;
}

/**
 * How a tensor's label makes rows and blocks of its bytes.
 * @param {any} tensor
 * @param {'OUT_IN' | 'AS_STORED'} label
 */
export function shapeOf(tensor, label) {
  const { ne, blockElements } = tensor;
  const [rows, width] =
    label === 'OUT_IN' ? [ne[1] ?? 1, ne[0] ?? 1] : ne.length > 1 ? [ne[0], ne[1]] : [1, ne[0]];
  const slices = ne.slice(2).reduce((a, b) => a * b, 1);
  return {
    out: rows,
    inputDim: width,
    slices,
    divides: blockElements > 0 && width % blockElements === 0,
  };
}

/**
 * @param {{ tensor: string, slice: number, label: 'OUT_IN' | 'AS_STORED' }} about
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 */
export async function showGrid({ tensor: name, slice, label }, signal, onProgress) {
  const pw = await library();
  const tensor = tensorNamed(name);
  if (tensor.refusal) {
    const { message, ...rest } = tensor.refusal;
    throw Object.assign(new Error(message), { ...rest, tensor: name });
  }
  // The library says whether this label can be right; the picture falls back to what the bytes are.
  const asked = shapeOf(tensor, label);
  const refusal = tensor.ne.length > 1 ? refusalOf(pw, asked, tensor.encoding) : null;
  const shape = asked.divides && !refusal ? asked : shapeOf(tensor, 'OUT_IN');
  const blocksPerRow = shape.inputDim / tensor.blockElements;
  const facts = { out: shape.out, blocksPerRow };
  const total = blockCount(facts);
  if (total === 0) {
    throw Object.assign(new Error('This tensor has no blocks: one of its dimensions is 0.'), {
      code: 'EMPTY',
      tensor: name,
    });
  }
  if (slice >= shape.slices)
    throw Object.assign(new Error(`Slice ${slice} is outside 0..${shape.slices - 1}.`), {
      code: 'OUT_OF_RANGE',
      tensor: name,
    });
  const from = slice * total * tensor.blockBytes;
  const placed = { ...tensor, offset: tensor.offset + from };
  const { keysOfBlocks, sum } = await scan(pw, placed, total, signal, onProgress);
  const { levels } = levelsOf(keysOfBlocks);
  signal.throwIfAborted();
  current = {
    key: ++keys,
    tensor: placed,
    facts,
    slice,
    slices: shape.slices,
    label,
    total,
    levels: { scale: buildPyramid(levels, facts) },
    flat: {},
    misplaced: null,
  };
  const channels = ['scale', 'position', 'identity'];
  if (total * tensor.blockBytes <= MOST_DECODED && blocksPerRow > 1 && shape.out > 1)
    channels.push('error');
  return {
    ...facts,
    key: current.key,
    tensor: name,
    slice,
    slices: shape.slices,
    encoding: tensor.encoding,
    blockBytes: tensor.blockBytes,
    elements: tensor.blockElements,
    offset: placed.offset,
    inputDim: shape.inputDim,
    refusal,
    checksum: sum,
    channels,
    ambiguous:
      tensor.ne.length > 1 &&
      tensor.blockElements > 1 &&
      tensor.ne.slice(0, 2).every((n) => n % tensor.blockElements === 0),
  };
}

/** What the library says to this label: the text is its own. */
function refusalOf(pw, { out, inputDim }, encoding) {
  try {
    pw.requireOutIn(out, inputDim, encoding);
    return null;
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

async function scan(pw, tensor, total, signal, onProgress) {
  const { blockBytes } = tensor;
  const keysOfBlocks = new Uint16Array(total);
  const key = keyReader(pw, tensor);
  const sums = Int32Array.of(1, 2, 3, 4);
  const length = total * blockBytes;
  let first = 0;
  for await (const bytes of readParts(tensor, length, leastMultiple(blockBytes, LANES), signal)) {
    const count = bytes.length / blockBytes;
    key(bytes, count, keysOfBlocks, first);
    fold(sums, bytes);
    first += count;
    onProgress(first * blockBytes, length);
  }
  const sum = sums.reduce((all, each) => Math.imul(all ^ each, FNV_PRIME)) >>> 0;
  return { keysOfBlocks, sum: sum.toString(16).padStart(8, '0') };
}

/** Bytes of the four words that `fold` takes at once: parts of whole blocks and whole words give the same sums. */
const LANES = 16;

/** @param {number} a @param {number} b a power of 2 */
function leastMultiple(a, b) {
  let multiple = a;
  while (multiple % b) multiple += a;
  return multiple;
}

const FNV_PRIME = 0x01000193;

/**
 * FNV-1a over 32-bit words, every fourth in a sum of its own so that none waits for the one before: enough to
 * show that bytes did not change.
 * @param {Int32Array} sums
 * @param {Uint8Array} bytes
 */
function fold(sums, bytes) {
  const { buffer, byteOffset } = bytes.byteOffset % 4 ? bytes.slice() : bytes;
  const words = new Int32Array(buffer, byteOffset, bytes.length >> 2);
  let [a, b, c, d] = sums;
  const whole = words.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    a = Math.imul(a ^ words[i], FNV_PRIME);
    b = Math.imul(b ^ words[i + 1], FNV_PRIME);
    c = Math.imul(c ^ words[i + 2], FNV_PRIME);
    d = Math.imul(d ^ words[i + 3], FNV_PRIME);
  }
  for (let i = whole * 4; i < bytes.length; i++) a = Math.imul(a ^ bytes[i], FNV_PRIME);
  sums.set([a, b, c, d]);
}

/**
 * Reads each block's scale as a 15-bit magnitude (see picture/levels.js).
 * @returns {(bytes: Uint8Array, count: number, into: Uint16Array, at: number) => void}
 */
function keyReader(pw, { encoding, blockBytes: size, scaleAt }) {
  if (scaleAt !== null) {
    return (bytes, count, into, at) => {
      for (let i = 0, p = scaleAt; i < count; i++, p += size) {
        into[at + i] = (bytes[p] | (bytes[p + 1] << 8)) & 0x7fff;
      }
    };
  }
  // No single scale in the block: the largest decoded value speaks for it.
  return (bytes, count, into, at) => {
    const values = pw.decode(bytes, encoding);
    const each = values.length / count;
    const one = new Float32Array(1);
    const bits = new Uint32Array(one.buffer);
    for (let i = 0, v = 0; i < count; i++) {
      one[0] = 0;
      for (const end = v + each; v < end; v++) one[0] = Math.max(one[0], Math.abs(values[v]) || 0);
      into[at + i] = bits[0] >>> 16;
    }
  };
}

/**
 * The picture of a channel for the panels, or for the wrong reading.
 * @param {any} g
 * @param {string} channel
 * @param {boolean} misread
 */
export function pyramidFor(g, channel, misread) {
  const name = misread ? `${channel} misread` : channel;
  if (g.levels[name]) return g.levels[name];
  const base = flatLevels(g, channel);
  if (!base) return null;
  g.levels[name] = buildPyramid(misread ? misreadLevels(g, base) : base, g.facts);
  return g.levels[name];
}

/** One byte per block of a channel, also of those that the raster makes from coordinates. */
export function flatLevels(g, channel) {
  if (g.levels[channel]) return g.levels[channel][0].values;
  if (channel !== 'position' && channel !== 'identity') return null;
  if (g.flat[channel]) return g.flat[channel];
  const { out, blocksPerRow } = g.facts;
  const level = channel === 'identity' ? identityLevel : positionLevel(g.facts, 'ROW_MAJOR');
  const values = new Uint8Array(g.total);
  for (let o = 0, at = 0; o < out; o++)
    for (let b = 0; b < blocksPerRow; b++, at++) values[at] = level(o, b);
  g.flat[channel] = values;
  return values;
}

function misreadLevels({ facts, total }, base) {
  const { out, blocksPerRow } = facts;
  const values = new Uint8Array(total);
  // Walks (o, b) in kernel order, in which the misread bytes come one after the other.
  for (let b = 0, place = 0; b < blocksPerRow; b++) {
    for (let o = 0; o < out; o++, place++) values[o * blocksPerRow + b] = base[place];
  }
  return values;
}

/**
 * Largest |decoded - wrongly decoded| of each block, as levels; found out once.
 * @param {number} key
 * @param {AbortSignal} signal
 * @param {import('./main.js').Told} told
 */
export function errorLevels(key, signal, told) {
  const g = grid(key);
  if (g.levels.error) return g.error;
  g.finding ??= findErrors(g, signal, told).finally(() => (g.finding = null));
  return g.finding;
}

async function findErrors(g, signal, told) {
  const pw = await library();
  const { blockBytes, encoding } = g.tensor;
  const length = g.total * blockBytes;
  const bytes = await readWhole(g.tensor, length, signal, told(`Reading ${g.tensor.name}`));
  const { due, rest } = restsOf(signal, told('Reading in the wrong order'));
  const wrong = new Uint8Array(bytes.length);
  const { out, blocksPerRow } = g.facts;
  const keysOfBlocks = new Uint16Array(g.total);
  const one = new Float32Array(1);
  const bits = new Uint32Array(one.buffer);
  let largest = { difference: 0, o: 0, b: 0 };
  let finite = true;
  for (let o = 0, at = 0; o < out; o++) {
    const row = bytes.subarray(o * blocksPerRow * blockBytes, (o + 1) * blocksPerRow * blockBytes);
    const misread = wrong.subarray(0, row.length);
    for (let b = 0; b < blocksPerRow; b++) {
      const found = misreadBlock(g.facts, { o, b });
      const p = (found.o * blocksPerRow + found.b) * blockBytes;
      misread.set(bytes.subarray(p, p + blockBytes), b * blockBytes);
    }
    const right = pw.decode(row, encoding);
    const other = pw.decode(misread, encoding);
    const each = right.length / blocksPerRow;
    for (let b = 0, v = 0; b < blocksPerRow; b++, at++) {
      let most = 0;
      for (const end = v + each; v < end; v++) {
        const d = Math.abs(right[v] - other[v]);
        if (d > most) most = d;
        if (!Number.isFinite(other[v])) finite = false;
      }
      one[0] = most;
      keysOfBlocks[at] = bits[0] >>> 16;
      if (most > largest.difference) largest = { difference: most, o, b };
    }
    if (due()) await rest(at * blockBytes, length);
  }
  signal.throwIfAborted();
  g.levels.error = buildPyramid(levelsOf(keysOfBlocks).levels, g.facts);
  g.error = { largest, finite };
  return g.error;
}

/**
 * One block: bytes, fields, values, and what stands in its place when the file is misread.
 * @param {{ key: number, o: number, b: number, named: boolean }} about `named` once the package's tools are there:
 *   what a block's bits are is known to them alone
 */
export async function blockFacts({ key, o, b, named }) {
  const pw = await library();
  const g = grid(key);
  const { blockBytes, encoding } = g.tensor;
  const { blocksPerRow } = g.facts;
  const bytes = await readBytes(g.tensor, (o * blocksPerRow + b) * blockBytes, blockBytes);
  const found = misreadBlock(g.facts, { o, b });
  const foundBytes = await readBytes(
    g.tensor,
    (found.o * blocksPerRow + found.b) * blockBytes,
    blockBytes,
  );
  return {
    key,
    o,
    b,
    bytes,
    values: pw.decode(bytes, encoding),
    scale: scaleOf(pw, g.tensor, bytes),
    ...(named ? namesOf(pw, encoding, bytes) : NAMELESS),
    misread: { ...found, values: pw.decode(foundBytes, encoding) },
  };
}

/** The one that all values of the block are multiplied by; null where there is no such one. */
function scaleOf(pw, { scaleAt, blockElements }, bytes) {
  if (scaleAt === null || blockElements === 1) return null;
  return pw.decode(bytes.subarray(scaleAt, scaleAt + 2), 'F16')[0];
}

const NAMELESS = { named: false, fields: [], words: [], raw: [] };

function namesOf(pw, encoding, bytes) {
  const bits = pw.blockBits(encoding);
  return {
    named: true,
    fields: fieldsOf(pw, encoding),
    words: byteWords(bits),
    raw: rawNumbers(bits, bytes),
  };
}

/** The block's struct as the library describes it, with a size for each field. */
function fieldsOf(pw, encoding) {
  const { fields = [], bytes } = pw.encodings[encoding];
  return fields.map(({ name, offset, meaning, type }, i) => ({
    name,
    offset,
    meaning,
    type,
    bytes: (fields[i + 1]?.offset ?? bytes) - offset,
  }));
}
