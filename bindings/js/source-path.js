import { checked, roomFor } from './checked-source.js';
import { PackedError } from './errors.js';
import { OpenFile } from './open-file.js';
import { sparseFile } from './sparse-file.js';

export const inNode = () => typeof globalThis.process?.versions?.node === 'string';

/**
 * A file by its path or file: URL, in Node.
 * @param {string | URL} path
 * @returns {Promise<import('./checked-source.js').Source>}
 */
export async function openPath(path) {
  if (!inNode()) {
    throw new PackedError('IO_FAILED', `${path} is a path: browsers open a File or a URL`);
  }
  // Put together while running, so that bundlers do not look for it in a browser build.
  const fs = await import(/* @vite-ignore */ ['node', 'fs'].join(':'));
  const { stat, statfs } = fs.promises;
  /** @type {OpenFile | undefined} */
  let file;
  try {
    // To open a pipe would wait for who writes to it.
    requireFile(await stat(path));
    file = await OpenFile.open(fs, path);
    const stats = await file.stat();
    requireFile(stats);
    return await sourceOf(file, stats, () => statfs(path));
  } catch (cause) {
    await file?.close();
    throw new PackedError(
      'IO_FAILED',
      `${path} cannot be opened: ${/** @type {Error} */ (cause).message}`,
      { cause },
    );
  }
}

/** @param {{ isFile: () => boolean, isDirectory: () => boolean }} stats */
function requireFile(stats) {
  if (stats.isFile()) return;
  throw new Error(
    stats.isDirectory()
      ? 'it is a folder; name a file in it'
      : 'it is not a file; store what comes from it in one first',
  );
}

/**
 * Each of its functions holds `file`, which is closed when nothing does any more.
 * @param {OpenFile} file
 * @param {{ size: number, blocks: number }} stats
 * @param {() => Promise<{ type: number, bsize: number }>} statfs
 */
async function sourceOf(file, stats, statfs) {
  const sparse = await sparseFile(stats, statfs, (offset, length) =>
    readAll(file, offset, new Uint8Array(length)),
  );
  return checked(
    file.name,
    stats.size,
    async (offset, length, _, room) => {
      const bytes = await readAll(
        file,
        offset,
        room?.subarray(0, length) ?? roomFor(file.name, offset, length),
      );
      sparse?.look(offset, bytes);
      return bytes;
    },
    {
      close: () => file.close(),
      readInto(offset, room) {
        readNow(file, offset, room);
        sparse?.look(offset, room);
      },
      ...(sparse && { nextData: sparse.nextData }),
    },
  );
}

/**
 * @param {OpenFile} file
 * @param {number} offset
 * @param {Uint8Array} bytes filled as far as the file goes
 */
async function readAll(file, offset, bytes) {
  let filled = 0;
  while (filled < bytes.length) {
    const count = await file
      .read(bytes.subarray(filled), offset + filled)
      .catch((/** @type {unknown} */ cause) => {
        throw unreadable(file, offset + filled, String(cause), cause);
      });
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/**
 * @param {OpenFile} file
 * @param {number} offset
 * @param {Uint8Array} room
 */
function readNow(file, offset, room) {
  for (let filled = 0; filled < room.length;) {
    let count = 0;
    try {
      count = file.readNow(room.subarray(filled), offset + filled);
    } catch (cause) {
      throw unreadable(file, offset + filled, String(cause), cause);
    }
    if (count === 0) throw unreadable(file, offset + filled, 'it ends there');
    filled += count;
  }
}

/**
 * @param {OpenFile} file
 * @param {number} offset
 * @param {string} why
 * @param {unknown} [cause]
 */
function unreadable({ name }, offset, why, cause) {
  if (cause instanceof PackedError) return cause;
  const message = `${name} cannot be read at byte ${offset}: ${why}; has it been changed while it was read?`;
  return new PackedError('IO_FAILED', message, { offset, cause });
}
