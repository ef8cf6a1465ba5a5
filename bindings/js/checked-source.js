import { requireOptions } from './arguments.js';
import { PackedError, refuse } from './errors.js';

/**
 * What every kind of source becomes.
 * @typedef {object} Source
 * @property {string} name
 * @property {number} size
 * @property {(offset: number, length: number, signal?: AbortSignal, room?: Uint8Array) => Promise<Uint8Array>} read
 *   may use `room`, of at least `length` bytes, for what it gives
 * @property {(offset: number, room: Uint8Array) => void} [readInto] fills `room` at once, where a source can: a
 *   file that the system reads ahead is then read and looked at without a step between two threads
 * @property {(offset: number) => Promise<number>} [nextData] the first byte from there on that is in no hole,
 *   where the source knows of holes
 * @property {() => Promise<void>} close
 */

/**
 * Options of what reads, their signal too.
 * @template {{ signal?: AbortSignal }} Options
 * @param {Options | undefined} options
 * @param {Parameters<typeof requireOptions<Options>>[1]} kinds
 * @returns {Options}
 */
export function requireReadOptions(options, kinds) {
  const given = requireOptions(options, kinds);
  const { signal } = given;
  if (signal !== undefined && typeof signal.addEventListener !== 'function') {
    refuse('signal', 'an AbortSignal', signal);
  }
  return given;
}

/**
 * A source that heeds its signal, stays inside the file, never gives fewer bytes than asked for and none once it is
 * closed.
 * @param {string} name
 * @param {number} size
 * @param {Source['read']} read
 * @param {Partial<Pick<Source, 'close' | 'nextData' | 'readInto'>>} [more]
 * @returns {Source}
 */
export function checked(name, size, read, more = {}) {
  let closed = false;
  return {
    name,
    size,
    ...more,
    async close() {
      if (closed) return;
      closed = true;
      await more.close?.();
    },
    async read(offset, length, signal, room) {
      signal?.throwIfAborted();
      if (closed) throw new PackedError('DISPOSED', `${name} has been closed: open it again`);
      if (offset + length > size) {
        throw new PackedError(
          'TRUNCATED',
          `${name} has ${size} bytes; ${length} at ${offset} were asked for`,
          { offset, expected: `${offset + length} bytes`, actual: `${size} bytes` },
        );
      }
      const bytes = length === 0 ? new Uint8Array() : await read(offset, length, signal, room);
      signal?.throwIfAborted();
      if (bytes instanceof Uint8Array && bytes.length === length) return bytes;
      if (!(bytes instanceof Uint8Array)) refuse(`what ${name} reads`, 'a Uint8Array', bytes);
      throw new PackedError(
        'IO_FAILED',
        `${name} gave ${bytes.length} bytes where ${length} at ${offset} were asked for: has it been changed while it was read?`,
        { offset, expected: `${length} bytes`, actual: `${bytes.length} bytes` },
      );
    },
  };
}

/**
 * Memory for what is asked for in one piece, which may be more than an engine has.
 * @param {string} name of the source
 * @param {number} offset
 * @param {number} length
 */
export function roomFor(name, offset, length) {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw noRoom(name, offset, length, cause);
  }
}

/**
 * @param {string} name
 * @param {number} offset
 * @param {number} length
 * @param {unknown} cause
 */
const noRoom = (name, offset, length, cause) =>
  new PackedError(
    'OUT_OF_MEMORY',
    `${name}: no memory for ${length} bytes at ${offset} in one piece; free some, or read them by parts (file.read)`,
    { offset, cause },
  );

/** @param {Blob} blob @returns {Source} */
export function fromBlob(blob) {
  const name = 'name' in blob ? String(blob.name) : 'a Blob';
  return checked(name, blob.size, async (offset, length) => {
    try {
      return new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
    } catch (cause) {
      if (cause instanceof RangeError) throw noRoom(name, offset, length, cause);
      // What a browser says when a picked file has been changed or removed meanwhile.
      throw new PackedError(
        'IO_FAILED',
        `${name} cannot be read any more at byte ${offset} (${cause}): open the file again`,
        { offset, cause },
      );
    }
  });
}
