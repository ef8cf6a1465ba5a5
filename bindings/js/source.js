import { PackedError, describe, requireWhole } from './errors.js';
import { openUrl } from './source-url.js';

/**
 * Where a file's bytes come from: read by parts, never as a whole.
 * @typedef {Blob | ArrayBuffer | Uint8Array | URL | string | CustomSource} SourceLike a string is a path in
 *   Node and a URL in browsers
 */

/**
 * A source of the caller's own. `read` gives exactly `length` bytes, or fails.
 * @typedef {object} CustomSource
 * @property {number} size in bytes
 * @property {(offset: number, length: number, signal?: AbortSignal) => Promise<Uint8Array> | Uint8Array} read
 * @property {string} [name] for messages
 * @property {() => unknown} [close]
 */

/**
 * What every kind of source becomes.
 * @typedef {object} Source
 * @property {string} name
 * @property {number} size
 * @property {(offset: number, length: number, signal?: AbortSignal) => Promise<Uint8Array>} read
 * @property {() => Promise<void>} close
 */

/**
 * @param {unknown} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<Source>}
 */
export async function openSource(source, signal) {
  signal?.throwIfAborted();
  if (typeof source === 'string')
    return isUrl(source) ? openUrl(new URL(source, base()), signal) : openPath(source);
  if (source instanceof URL) {
    return source.protocol === 'file:' ? openPath(source) : openUrl(source, signal);
  }
  if (typeof Blob !== 'undefined' && source instanceof Blob) return fromBlob(source);
  if (source instanceof ArrayBuffer) return fromBytes(new Uint8Array(source));
  if (source instanceof Uint8Array) return fromBytes(source);
  const custom = /** @type {any} */ (source);
  if (typeof custom?.read === 'function') return fromCustom(custom);
  throw new PackedError(
    'INVALID_ARGUMENT',
    `A file is opened from a Blob, File, ArrayBuffer, Uint8Array, URL, path or { size, read }, not from ${describe(source)}`,
  );
}

const inNode = () => typeof globalThis.process?.versions?.node === 'string';
const base = () => globalThis.document?.baseURI ?? globalThis.location?.href;

/** @param {string} text */
function isUrl(text) {
  return /^(https?|file|blob|data):/i.test(text) || !inNode();
}

/** @param {Uint8Array} bytes @returns {Source} */
function fromBytes(bytes) {
  return checked('bytes in memory', bytes.length, async (offset, length) =>
    bytes.subarray(offset, offset + length),
  );
}

/** @param {Blob} blob @returns {Source} */
export function fromBlob(blob) {
  const name = 'name' in blob ? String(blob.name) : 'a Blob';
  return checked(name, blob.size, async (offset, length) => {
    try {
      return new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
    } catch (cause) {
      // What a browser says when a picked file has been changed or removed meanwhile.
      throw new PackedError(
        'IO_FAILED',
        `${name} cannot be read any more at byte ${offset} (${cause}): open the file again`,
        { offset, cause },
      );
    }
  });
}

/** @param {CustomSource} custom @returns {Source} */
function fromCustom(custom) {
  const size = requireWhole('size', custom.size);
  return checked(
    custom.name ?? 'the source',
    size,
    async (offset, length, signal) => custom.read(offset, length, signal),
    async () => void (await custom.close?.()),
  );
}

/** @param {string | URL} path @returns {Promise<Source>} */
async function openPath(path) {
  if (!inNode()) {
    throw new PackedError('IO_FAILED', `${path} is a path: browsers open a File or a URL`);
  }
  // Put together while running, so that bundlers do not look for it in a browser build.
  const { open } = await import(/* @vite-ignore */ ['node', 'fs/promises'].join(':'));
  const name = String(path);
  /** @type {any} */
  let handle;
  try {
    handle = await open(path, 'r');
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a file');
    return checked(
      name,
      stats.size,
      (offset, length) => readAll(handle, offset, length),
      () => handle.close(),
    );
  } catch (cause) {
    await handle?.close();
    throw new PackedError(
      'IO_FAILED',
      `${name} cannot be opened: ${/** @type {Error} */ (cause).message}`,
      {
        cause,
      },
    );
  }
}

/**
 * @param {any} handle
 * @param {number} offset
 * @param {number} length
 */
async function readAll(handle, offset, length) {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/**
 * A source that heeds its signal, stays inside the file and never gives fewer bytes than asked for.
 * @param {string} name
 * @param {number} size
 * @param {(offset: number, length: number, signal?: AbortSignal) => Promise<Uint8Array>} read
 * @param {() => Promise<void>} [close]
 * @returns {Source}
 */
export function checked(name, size, read, close = async () => {}) {
  return {
    name,
    size,
    close,
    async read(offset, length, signal) {
      signal?.throwIfAborted();
      if (offset + length > size) {
        throw new PackedError(
          'TRUNCATED',
          `${name} has ${size} bytes; ${length} at ${offset} were asked for`,
          { offset, expected: `${offset + length} bytes`, actual: `${size} bytes` },
        );
      }
      const bytes = length === 0 ? new Uint8Array() : await read(offset, length, signal);
      signal?.throwIfAborted();
      if (bytes instanceof Uint8Array && bytes.length === length) return bytes;
      throw new PackedError(
        'IO_FAILED',
        `${name} gave ${bytes?.length} bytes where ${length} at ${offset} were asked for: has it been changed while it was read?`,
        { offset, expected: `${length} bytes`, actual: `${bytes?.length} bytes` },
      );
    },
  };
}
