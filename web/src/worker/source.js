/**
 * The opened file, or the shards of one: the table through the package, tensors through windows. Bytes are
 * read when something is looked at, never ahead.
 */
import { library } from './library.js';
import { partsOf } from './parts.js';
import { requireOneModel } from './shards.js';
import { describeFile, describeMetadata } from './describe-file.js';
import { sample } from './samples.js';

const WINDOW = 256 * 1024;
const KEPT_WINDOWS = 64;

/**
 * @typedef {object} Shard
 * @property {File | URL} from
 * @property {(offset: number, length: number, how?: { signal?: AbortSignal }) => Promise<Uint8Array>} read
 * @property {ReturnType<typeof describeFile>} description
 */

/** @type {{ shards: Shard[], tensors: any[] } | null} */
let current = null;
/** What could not be opened, until something is: it can still be checked. @type {(File | URL)[] | null} */
let rejected = null;
/** @type {Map<string, Promise<Uint8Array>>} least recently used first */
const windows = new Map();

/**
 * @param {{ files?: File[], sample?: string, url?: string, standIn?: boolean }} about a URL is one of this page's own
 *   host; what stands in for a refused file leaves that one to be checked
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 * @param {(arrived: { name: string, metadataCount: number, metadata: [string, string][] }) => void} onMetadata
 */
export async function openSource(
  { files, sample: id, url, standIn },
  signal,
  onProgress,
  onMetadata,
) {
  const from = id === undefined ? sourcesOf({ files, url }) : [];
  const start = performance.now();
  const shards = [];
  try {
    if (id !== undefined) shards.push(openedSample(id));
    for (const each of from) shards.push(await openedFile(each, signal, onProgress, onMetadata));
  } catch (error) {
    if (signal.aborted || !from.length) throw error;
    rejected = from;
    throw Object.assign(error, { rejected: nameOf(from[0]) });
  }
  signal.throwIfAborted();
  if (!standIn) rejected = null;
  const tensors = shards.flatMap(({ description }, shard) =>
    description.tensors.map((tensor) => ({ ...tensor, shard })),
  );
  current = { shards, tensors };
  windows.clear();
  const [{ description }] = shards;
  const { version, alignment, littleEndian, dataStart, metadata, metadataCount } = description;
  return {
    name: nameOf(shards[0].from),
    sample: id ?? null,
    shards: shards.length,
    size: shards.reduce((sum, shard) => sum + shard.description.size, 0),
    version,
    alignment,
    littleEndian,
    tensors,
    metadata,
    metadataCount,
    headerBytes: Math.min(description.size, dataStart),
    millis: performance.now() - start,
  };
}

/**
 * @param {File | URL} from
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 * @param {Parameters<typeof openSource>[3]} onMetadata
 */
async function openedFile(from, signal, onProgress, onMetadata) {
  const pw = await library();
  const file = await pw.openGguf(from, {
    signal,
    onProgress: ({ bytesRead, totalBytes }) => onProgress(bytesRead, totalBytes),
    onMetadata: (metadata) => onMetadata({ name: nameOf(from), ...describeMetadata(metadata) }),
  });
  const read = (offset, length, how) => file.read(offset, length, how);
  return { from, read, description: describeFile(pw, file) };
}

/** Without asking the part of the package that reads files, which comes after the first view. */
function openedSample(id) {
  const { from, description } = sample(id);
  const read = async (offset, length) =>
    new Uint8Array(await from.slice(offset, offset + length).arrayBuffer());
  return { from, read, description };
}

/** @param {File | URL} from */
function nameOf(from) {
  if (!(from instanceof URL)) return from.name;
  const name = from.pathname.split('/').at(-1);
  try {
    return decodeURIComponent(name);
  } catch {
    // A lone % is a character like any other.
    return name;
  }
}

/** What the report is about: the refused file, where there is one, or the shown one. */
export function checkable() {
  const from = rejected ?? source().shards.map((shard) => shard.from);
  return { name: nameOf(from[0]), from };
}

/** @returns {(File | URL)[]} */
function sourcesOf({ files, url }) {
  if (url !== undefined) return [new URL(url)];
  const blobs = inShardOrder(files);
  requireOneModel(blobs.map(({ name }) => name));
  return blobs;
}

/** @param {File[]} files */
function inShardOrder(files) {
  return files.length > 1 ? [...files].sort((a, b) => (a.name < b.name ? -1 : 1)) : files;
}

export function source() {
  if (!current) throw Object.assign(new Error('No file is open.'), { code: 'NO_FILE' });
  return current;
}

/** @param {string} name */
export function tensorNamed(name) {
  const tensor = source().tensors.find((t) => t.name === name);
  if (tensor) return tensor;
  throw Object.assign(new Error(`This file has no tensor ${name}.`), {
    code: 'TENSOR_NOT_FOUND',
    tensor: name,
  });
}

/**
 * All of a tensor's first bytes.
 * @param {{ shard: number, name: string, offset: number }} tensor
 * @param {number} length
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 */
export function readWhole(tensor, length, signal, onProgress) {
  return joined(readParts(tensor, length, 1, signal), length, onProgress);
}

/**
 * Parts that follow each other as one.
 * @param {AsyncIterable<Uint8Array>} parts
 * @param {number} length of all
 * @param {(done: number, total: number) => void} onProgress
 */
export async function joined(parts, length, onProgress) {
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const part of parts) {
    bytes.set(part, at);
    at += part.length;
    onProgress(at, length);
  }
  return bytes;
}

/**
 * A tensor's first bytes, part by part (see parts.js).
 * @param {{ shard: number, name: string, offset: number }} tensor
 * @param {number} length
 * @param {number} unit
 * @param {AbortSignal} signal
 */
export function readParts({ shard, offset }, length, unit, signal) {
  const { from, read } = source().shards[shard];
  return partsOf({ from, read, offset, length }, unit, signal);
}

/** Small reads, through a cache of windows. */
export async function readBytes(tensor, from, length) {
  const { read, description } = source().shards[tensor.shard];
  const start = tensor.offset + from;
  const first = Math.floor(start / WINDOW);
  const last = Math.floor((start + length - 1) / WINDOW);
  const bytes = new Uint8Array(length);
  for (let w = first; w <= last; w++) {
    const id = `${tensor.shard}:${w}`;
    const size = Math.min(WINDOW, description.size - w * WINDOW);
    const kept = windows.get(id) ?? read(w * WINDOW, size);
    windows.delete(id);
    windows.set(id, kept);
    // What could not be read is read again when it is asked for again.
    kept.catch(() => windows.get(id) === kept && windows.delete(id));
    if (windows.size > KEPT_WINDOWS) windows.delete(windows.keys().next().value);
    const part = await kept;
    const at = w * WINDOW - start;
    const begin = Math.max(0, -at);
    const end = Math.min(part.length, length - at);
    if (end > begin) bytes.set(part.subarray(begin, end), at + begin);
  }
  return bytes;
}
