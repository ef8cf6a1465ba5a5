import { isPlain, requireBytes, requireOptions, requireText } from './arguments.js';
import { PackedError, describe, isKept, reasonOf, refuse, requireWhole } from './errors.js';
import { checked, fromBlob, roomFor } from './checked-source.js';
import { inNode, openPath } from './source-path.js';
import { openUrl } from './source-url.js';

/**
 * Where a file's bytes come from: read by parts, or once and as a whole where a server sends no parts. A string is a URL
 * in browsers; in Node it is a path, or a URL where it begins as one.
 * @typedef {Blob | ArrayBuffer | Uint8Array | URL | string | CustomSource} SourceLike
 */

/**
 * A source of the caller's own. `read` gives exactly `length` bytes, or fails; they are copied. An object written in braces has no
 * other members than these, or is refused: a misspelt `close` would never be called. One of a class may have any.
 * @typedef {object} CustomSource
 * @property {number} size in bytes
 * @property {(offset: number, length: number, signal?: AbortSignal) => Promise<Uint8Array> | Uint8Array} read
 * @property {(offset: number) => number | Promise<number>} [nextData] of a sparse file whose holes are known: the
 *   first byte at or behind `offset` that is in none; validate passes over holes and says so
 * @property {string} [name] for messages
 * @property {() => unknown} [close]
 */

/** @typedef {import('./checked-source.js').Source} Source */

/**
 * @param {unknown} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<Source>}
 */
export async function openSource(source, signal) {
  signal?.throwIfAborted();
  if (typeof source === 'string') {
    return isUrl(source) ? openSource(urlOf(source), signal) : openPath(source);
  }
  if (source instanceof URL) {
    return source.protocol === 'file:' ? openPath(source) : openUrl(source, signal);
  }
  if (typeof Blob !== 'undefined' && source instanceof Blob) return fromBlob(source);
  if (source instanceof ArrayBuffer || source instanceof Uint8Array) {
    return fromBytes(requireBytes('a file', source));
  }
  const custom = /** @type {any} */ (source);
  if (isPlain(custom)) requireOptions(custom, members, 'the source');
  if (typeof custom?.read === 'function') return fromCustom(custom);
  throw new PackedError(
    'INVALID_ARGUMENT',
    `A file is opened from a Blob, File, ArrayBuffer, Uint8Array, URL, path or { size, read }, not from ${describe(source)}`,
  );
}

/** @type {Record<keyof CustomSource, 'function' | ''>} */
const members = { size: '', read: 'function', nextData: 'function', name: '', close: 'function' };

const base = () => globalThis.document?.baseURI ?? globalThis.location?.href;

/** @param {string} text */
function isUrl(text) {
  return /^(https?|file|blob|data):/i.test(text) || !inNode();
}

/** @param {string} text */
function urlOf(text) {
  try {
    return new URL(text, base());
  } catch {
    refuse('source', 'a URL or a path', text);
  }
}

/** @param {Uint8Array} bytes @returns {Source} */
function fromBytes(bytes) {
  return checked('bytes in memory', bytes.length, async (offset, length) =>
    requireBytes('a file', bytes).subarray(offset, offset + length),
  );
}

/** @param {CustomSource} custom @returns {Source} */
function fromCustom(custom) {
  const size = requireWhole('size', custom.size);
  for (const name of /** @type {const} */ (['nextData', 'close'])) {
    if (typeof (custom[name] ?? fromCustom) !== 'function')
      refuse(name, 'a function', custom[name]);
  }
  const name = requireText('name of the source', custom.name ?? 'the source');
  return checked(
    name,
    size,
    async (offset, length, signal, room = roomFor(name, offset, length)) => {
      const bytes = await said(
        `${name}: its read failed for ${length} bytes at ${offset}`,
        () => unlessAborted(custom.read(offset, length, signal), signal),
        { offset, signal },
      );
      if (!(bytes instanceof Uint8Array) || bytes.length !== length) return bytes;
      // A reader may use the same memory again, and is asked for more before these have been looked at.
      room.set(bytes);
      return room.subarray(0, length);
    },
    {
      ...(custom.nextData && {
        nextData: async (offset) => {
          const next = () => custom.nextData?.(offset);
          const data = await said(`${name}: its nextData failed at ${offset}`, next, { offset });
          return requireWhole('nextData', data);
        },
      }),
      close: () => said(`${name}: its close failed`, async () => void (await custom.close?.())),
    },
  );
}

/**
 * What a function of the caller's gives; where it fails, what it was doing.
 * @template T
 * @param {string} failed
 * @param {() => T | Promise<T>} call
 * @param {{ offset?: number, signal?: AbortSignal }} [where]
 * @returns {Promise<T>}
 */
async function said(failed, call, { offset, signal } = {}) {
  try {
    return await call();
  } catch (cause) {
    signal?.throwIfAborted();
    if (isKept(cause)) throw cause;
    throw new PackedError(
      'IO_FAILED',
      `${failed} (${reasonOf(cause)}): see to what it reads from, then open it again`,
      { offset, cause },
    );
  }
}

/**
 * What a reader of the caller's gives, who may not heed the signal.
 * @template T
 * @param {T | Promise<T>} pending
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
function unlessAborted(pending, signal) {
  if (!signal) return Promise.resolve(pending);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const waiting = waitingOf(signal);
    waiting.add(abort);
    // By the reader itself, perhaps.
    if (signal.aborted) abort();
    Promise.resolve(pending)
      .then(resolve, reject)
      .finally(() => waiting.delete(abort));
  });
}

/** @type {WeakMap<AbortSignal, Set<() => void>>} */
const waitingFor = new WeakMap();

/**
 * What a signal ends. One listener for all: of many Node warns, as if they were forgotten.
 * @param {AbortSignal} signal
 */
function waitingOf(signal) {
  const known = waitingFor.get(signal);
  if (known) return known;
  /** @type {Set<() => void>} */
  const waiting = new Set();
  waitingFor.set(signal, waiting);
  signal.addEventListener('abort', () => waiting.forEach((abort) => abort()), { once: true });
  return waiting;
}
