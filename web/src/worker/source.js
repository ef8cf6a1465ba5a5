/**
 * The opened file, or the shards of one: the table through the package, tensors through windows. Bytes are
 * read when something is looked at, never ahead.
 */
import { library } from './library.js';
import { sampleFile } from './samples.js';

const WINDOW = 256 * 1024;
const KEPT_WINDOWS = 64;

/** @type {{ shards: { file: any, from: File | URL }[], tensors: any[] } | null} */
let current = null;
/** What was asked for last and could not be opened: it can still be checked. @type {(File | URL)[] | null} */
let rejected = null;
/** @type {Map<string, Promise<Uint8Array>>} least recently used first */
const windows = new Map();

/**
 * @param {{ files?: File[], sample?: string, url?: string }} about a URL is one of this page's own host
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 */
export async function openSource({ files, sample, url }, signal, onProgress) {
  const pw = await library();
  rejected = null;
  const from = await sourcesOf({ files, sample, url });
  const start = performance.now();
  const shards = [];
  try {
    for (const each of from) {
      const file = await pw.openGguf(each, {
        signal,
        onProgress: ({ bytesRead, totalBytes }) => onProgress(bytesRead, totalBytes),
      });
      shards.push({ file, from: each });
    }
  } catch (error) {
    if (!signal.aborted) rejected = from;
    throw error;
  }
  signal.throwIfAborted();
  const tensors = shards.flatMap(({ file }, shard) => file.tensors.map((t) => describe(pw, t, shard)));
  current = { shards, tensors };
  windows.clear();
  const [{ file }] = shards;
  const size = shards.reduce((sum, shard) => sum + shard.file.size, 0);
  const millis = performance.now() - start;
  return {
    name: nameOf(from[0]),
    sample: sample ?? null,
    shards: shards.length,
    size,
    version: file.version,
    alignment: file.alignment,
    littleEndian: file.littleEndian,
    tensors,
    metadata: [...file.metadata].slice(0, 500).map(([k, v]) => [k, shortly(v)]),
    headerBytes: Math.min(file.size, file.dataStart),
    millis,
  };
}

/** @param {File | URL} from */
function nameOf(from) {
  return from instanceof URL ? decodeURIComponent(from.pathname.split('/').at(-1)) : from.name;
}

/** @returns {string | null} the name of what was asked for last, where it could not be opened */
export function rejectedName() {
  return rejected && nameOf(rejected[0]);
}

/** What the report is about: the refused file, where there is one, or the shown one. */
export function checkable() {
  const from = rejected ?? source().shards.map((shard) => shard.from);
  return { name: nameOf(from[0]), from };
}

function describe(pw, { name, ne, shape, encoding, ggmlType, typeName, offset, byteLength }, shard) {
  const format = encoding ? pw.encodings[encoding] : null;
  return {
    name,
    ne: [...ne],
    shape: [...shape],
    encoding,
    ggmlType,
    typeName,
    offset,
    byteLength,
    shard,
    blockElements: format?.elements ?? 0,
    blockBytes: format?.bytes ?? 0,
  };
}

/** @param {any} value long lists are not read for being shown */
function shortly(value) {
  const length = value?.length;
  if (typeof value === 'object' && value !== null) return `${length ?? value.count ?? 'many'} values`;
  const text = String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** @returns {Promise<(File | URL)[]>} */
async function sourcesOf({ files, sample, url }) {
  if (url !== undefined) return [new URL(url)];
  if (sample !== undefined) return [await sampleFile(sample)];
  const blobs = inShardOrder(files);
  refuseMissing(blobs);
  return blobs;
}

const SHARD = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;

/** @param {File[]} files */
function inShardOrder(files) {
  return files.length > 1 ? [...files].sort((a, b) => (a.name < b.name ? -1 : 1)) : files;
}

/** @param {File[]} blobs */
function refuseMissing(blobs) {
  const match = SHARD.exec(blobs[0].name);
  if (!match) {
    if (blobs.length === 1) return;
    const error = new Error(
      `${blobs.length} files at once must be the shards of one model, named like model-00001-of-00003.gguf; ${blobs[0].name} is not.`,
    );
    throw Object.assign(error, { code: 'NOT_SHARDS' });
  }
  const count = Math.min(Number(match[3]), 10_000);
  const present = new Set(blobs.map((b) => b.name));
  const missing = [];
  for (let i = 1; i <= count; i++) {
    const name = `${match[1]}-${String(i).padStart(5, '0')}-of-${match[3]}.gguf`;
    if (!present.has(name)) missing.push(name);
  }
  if (!missing.length) return;
  const listed = missing.slice(0, 6).join(', ') + (missing.length > 6 ? ` and ${missing.length - 6} more` : '');
  const error = new Error(`Of this split set of ${count} files these are missing: ${listed}. Drop all of them at once.`);
  throw Object.assign(error, { code: 'SHARD_MISSING' });
}

export function source() {
  if (!current) throw Object.assign(new Error('No file is open.'), { code: 'NO_FILE' });
  return current;
}

/** @param {string} name */
export function tensorNamed(name) {
  const tensor = source().tensors.find((t) => t.name === name);
  if (tensor) return tensor;
  throw Object.assign(new Error(`This file has no tensor ${name}.`), { code: 'TENSOR_NOT_FOUND', tensor: name });
}

/**
 * A large piece, read once.
 * @param {{ shard: number, name: string, offset: number }} tensor
 * @param {number} from relative to the tensor
 * @param {number} length
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array>}
 */
export function readWindow(tensor, from, length, signal) {
  return source().shards[tensor.shard].file.read(tensor.offset + from, length, { signal });
}

/** Small reads, through a cache of windows. */
export async function readBytes(tensor, from, length) {
  const { file } = source().shards[tensor.shard];
  const start = tensor.offset + from;
  const first = Math.floor(start / WINDOW);
  const last = Math.floor((start + length - 1) / WINDOW);
  const bytes = new Uint8Array(length);
  for (let w = first; w <= last; w++) {
    const id = `${tensor.shard}:${w}`;
    const size = Math.min(WINDOW, file.size - w * WINDOW);
    const kept = windows.get(id) ?? file.read(w * WINDOW, size);
    windows.delete(id);
    windows.set(id, kept);
    if (windows.size > KEPT_WINDOWS) windows.delete(windows.keys().next().value);
    const part = await kept;
    const at = w * WINDOW - start;
    const begin = Math.max(0, -at);
    const end = Math.min(part.length, length - at);
    if (end > begin) bytes.set(part.subarray(begin, end), at + begin);
  }
  return bytes;
}
