// Large enough for the speed of the disk; both windows at once stay in the processor's last cache.
export const windowBytes = 2 << 20;

/**
 * A part of a file; `bytes` null: a hole of a sparse file, which nobody has read. They stay as they are until
 * the next window is asked for.
 * @typedef {{ offset: number, length: number, bytes: Uint8Array | null }} Window
 */

/**
 * A range of a source in windows of at most windowBytes, each read while the one before is looked at.
 * @param {import('./checked-source.js').Source} source
 * @param {{ offset: number, length: number }} range
 * @param {{ signal?: AbortSignal, holes?: boolean }} options holes: whether to pass over them, of any size
 * @returns {AsyncGenerator<Window, void, void>}
 */
export async function* windowsOf(source, { offset, length }, { signal, holes = false }) {
  const end = offset + length;
  // Two places in turn: the bytes in one are looked at while the other is filled.
  const rooms = [0, 1].map(() => new Uint8Array(Math.min(windowBytes, length)));
  // Without a step in between: the read is to be under way before anybody looks at the window before.
  const next = async (/** @type {number} */ from) => {
    if (holes && source.nextData) {
      const data = Math.min(await source.nextData(from), end);
      if (data > from) return { offset: from, length: data - from, bytes: null };
    }
    const size = Math.min(windowBytes, end - from);
    rooms.reverse();
    return { offset: from, length: size, bytes: await source.read(from, size, signal, rooms[0]) };
  };
  /** @type {Promise<Window> | null} */
  let ahead = length > 0 ? next(offset) : null;
  try {
    while (ahead) {
      const window = await ahead;
      const after = window.offset + window.length;
      ahead = after < end ? next(after) : null;
      yield window;
    }
  } finally {
    // Who stops early closes the source next: not while it is being read, but by a reader that heeds no signal.
    await ahead?.catch(() => {});
  }
}
