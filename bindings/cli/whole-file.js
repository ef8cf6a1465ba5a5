import { open, readFile } from 'node:fs/promises';
import { PackedError } from 'packed-weights';

// Node counts the bytes of one read in 32 bits.
const mostAtOnce = 2 ** 30;

/**
 * All bytes of a file, or of a pipe, in one piece of memory.
 * @param {string} path
 * @param {(size: number) => void} requireRoom called with the size of a file before it is read
 * @returns {Promise<Uint8Array>}
 */
export async function bytesOf(path, requireRoom) {
  try {
    const handle = await open(path);
    try {
      const stats = await handle.stat();
      // How long a pipe is shows at its end.
      if (!stats.isFile()) return new Uint8Array(await readFile(handle));
      requireRoom(stats.size);
      return await filled(handle, new Uint8Array(stats.size));
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof PackedError) throw thrown;
    const { message } = /** @type {Error} */ (thrown);
    throw new PackedError('IO_FAILED', `${path} cannot be read: ${message}`, { cause: thrown });
  }
}

/**
 * @param {import('node:fs/promises').FileHandle} handle
 * @param {Uint8Array} room
 */
async function filled(handle, room) {
  for (let at = 0; at < room.length;) {
    const length = Math.min(mostAtOnce, room.length - at);
    const { bytesRead } = await handle.read(room, at, length, at);
    if (bytesRead === 0) throw new Error('it became shorter while it was read');
    at += bytesRead;
  }
  return room;
}
