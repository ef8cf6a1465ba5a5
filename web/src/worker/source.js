/**
 * The opened file: its table through the package, its tensors through windows of the Blob. Bytes are read
 * when something is looked at, never ahead.
 */
import { library } from './library.js';
import { sampleFile } from './samples.js';

const WINDOW = 256 * 1024;
const KEPT_WINDOWS = 64;

/** @type {{ file: any, blobs: Blob[], key: number } | null} */
let current = null;
let keys = 0;
/** @type {Map<string, Promise<Uint8Array>>} least recently used first */
const windows = new Map();

/**
 * @param {{ files?: File[], sample?: string }} about
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 */
export async function openSource({ files, sample }, signal, onProgress) {
  const pw = await library();
  const start = performance.now();
  const blobs = sample !== undefined ? [await sampleFile(sample)] : inShardOrder(files);
  const { present, missing } = shardsOf(blobs);
  if (missing.length) {
    const error = new Error(
      `This is a split set and ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing: drop all ${present.length + missing.length} files at once.`,
    );
    throw Object.assign(error, { code: 'SHARD_MISSING' });
  }
  const source = blobs.length === 1 ? blobs[0] : blobs;
  const file = await pw.openGguf(source, {
    signal,
    onProgress: (p) => onProgress(p.done ?? p.bytes ?? 0, p.total ?? 0),
  });
  signal.throwIfAborted();
  current = { file, blobs, key: ++keys };
  windows.clear();
  const tensors = file.tensors.map((t) => describe(pw, t));
  return {
    name: blobs[0].name,
    sample: sample ?? null,
    size: blobs.reduce((sum, blob) => sum + blob.size, 0),
    version: file.version,
    alignment: file.alignment,
    littleEndian: file.littleEndian,
    tensors,
    metadata: [...file.metadata].slice(0, 500).map(([k, v]) => [k, shortly(v)]),
    headerBytes: Math.min(blobs[0].size, ...tensors.map((t) => t.offset)),
    missing,
    millis: performance.now() - start,
  };
}

function describe(pw, tensor) {
  const { name, ne, shape, encoding, ggmlType, offset, byteLength } = tensor;
  const format = encoding ? pw.encodings[encoding] : null;
  return {
    name,
    ne: Array.from(ne, Number),
    shape: Array.from(shape, Number),
    encoding,
    ggmlType,
    offset: Number(offset),
    byteLength: byteLength === null || byteLength === undefined ? null : Number(byteLength),
    shard: tensor.shard ?? 0,
    blockElements: format?.elements ?? 0,
    blockBytes: format?.bytes ?? 0,
  };
}

/** @param {unknown} value */
function shortly(value) {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = Array.from(/** @type {any} */ (value).slice(0, 8), String);
    return `[${list.join(', ')}${value.length > 8 ? `, … ${value.length} in all` : ''}]`;
  }
  const text = String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const SHARD = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;

/** @param {File[]} files */
function inShardOrder(files) {
  return files.length > 1 ? [...files].sort((a, b) => (a.name < b.name ? -1 : 1)) : files;
}

/** @param {File[]} blobs */
function shardsOf(blobs) {
  const match = SHARD.exec(blobs[0].name);
  const present = blobs.map((b) => b.name);
  if (!match) return { present, missing: [] };
  const count = Math.min(Number(match[3]), 10_000);
  const names = Array.from(
    { length: count },
    (_, i) => `${match[1]}-${String(i + 1).padStart(5, '0')}-of-${match[3]}.gguf`,
  );
  return { present, missing: names.filter((n) => !present.includes(n)) };
}

export function source() {
  if (!current) throw Object.assign(new Error('No file is open.'), { code: 'NO_FILE' });
  return current;
}

/** @param {string} name */
export function tensorNamed(pw, name) {
  const tensor = source().file.tensors.find((t) => t.name === name);
  if (!tensor)
    throw Object.assign(new Error(`This file has no tensor ${name}.`), { code: 'NO_TENSOR' });
  return describe(pw, tensor);
}

/**
 * @param {{ shard: number, name: string, offset: number }} tensor
 * @param {number} from relative to the tensor
 * @param {number} length
 */
export async function readWindow(tensor, from, length) {
  const blob = source().blobs[tensor.shard];
  const start = tensor.offset + from;
  if (start + length > blob.size) {
    const error = new Error(
      `The file ends at ${blob.size}, but these bytes go to ${start + length}: it is truncated. Download it again.`,
    );
    throw Object.assign(error, { code: 'TRUNCATED', offset: blob.size, tensor: tensor.name });
  }
  return new Uint8Array(await blob.slice(start, start + length).arrayBuffer());
}

/** Small reads, through a cache of windows. */
export async function readBytes(tensor, from, length) {
  const blob = source().blobs[tensor.shard];
  const start = tensor.offset + from;
  const first = Math.floor(start / WINDOW);
  const last = Math.floor((start + length - 1) / WINDOW);
  const bytes = new Uint8Array(length);
  for (let w = first; w <= last; w++) {
    const id = `${tensor.shard}:${w}`;
    const kept =
      windows.get(id) ??
      blob
        .slice(w * WINDOW, (w + 1) * WINDOW)
        .arrayBuffer()
        .then((b) => new Uint8Array(b));
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
