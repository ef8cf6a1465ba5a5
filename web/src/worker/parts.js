/**
 * A large piece of a file, part by part. Memory that is used again is filled twice as fast as new memory is given
 * by a browser, so a part is good until the next one is asked for.
 */

const ROOM = 1 << 20;
/** Of what cannot fill given memory: parts that are new each time, the next ones on their way. */
const WINDOW = 8 << 20;
const AHEAD = 2;

/** Chromium forgets a stream that only waits for itself, and its next part never comes. */
const underWay = new Set();

/**
 * @typedef {object} Piece
 * @property {File | URL} from
 * @property {(offset: number, length: number, how: { signal: AbortSignal }) => Promise<Uint8Array>} read
 * @property {number} offset in the file
 * @property {number} length
 */

/**
 * @param {Piece} piece
 * @param {number} unit every part but the last is a multiple of so many bytes
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Uint8Array>}
 */
export function partsOf(piece, unit, signal) {
  const { from, offset, length } = piece;
  const blob = from instanceof Blob ? from.slice(offset, offset + length) : null;
  const reader = blob && fillingReader(blob);
  return reader ? filled({ ...piece, blob, reader }, unit, signal) : windows(piece, unit, signal);
}

/** @param {Blob} blob @returns {ReadableStreamBYOBReader | null} null in browsers whose files cannot fill memory */
function fillingReader(blob) {
  try {
    return blob.stream().getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}

async function* filled(piece, unit, signal) {
  const { reader, offset, length } = piece;
  const cancel = () => reader.cancel().catch(() => {});
  signal.throwIfAborted();
  signal.addEventListener('abort', cancel);
  underWay.add(piece);
  let room = new Uint8Array(Math.ceil(ROOM / unit) * unit);
  /** Bytes at the beginning of the room that are not a whole unit yet. */
  let kept = 0;
  let at = 0;
  try {
    while (at < length) {
      const { value } = await reader.read(room.subarray(kept)).catch(unreadable(piece, at));
      signal.throwIfAborted();
      if (!value?.length) unreadable(piece, at)(`it ended ${length - at} bytes early`);
      room = new Uint8Array(value.buffer);
      at += value.length;
      const here = kept + value.length;
      const whole = at < length ? here - (here % unit) : here;
      if (whole) yield room.subarray(0, whole);
      room.copyWithin(0, whole, here);
      kept = here - whole;
    }
  } finally {
    underWay.delete(piece);
    signal.removeEventListener('abort', cancel);
    void cancel();
  }
}

/** What a browser says when a picked file has been changed or removed meanwhile, with where and what to do. */
function unreadable({ from, offset }, at) {
  return (/** @type {unknown} */ cause) => {
    const text = `${from.name} cannot be read any more at byte ${offset + at} (${cause}): open the file again`;
    throw Object.assign(new Error(text), { code: 'IO_FAILED', offset: offset + at });
  };
}

async function* windows({ read, offset, length }, unit, signal) {
  signal.throwIfAborted();
  const size = Math.max(1, Math.floor(WINDOW / unit)) * unit;
  /** @type {Promise<Uint8Array>[]} */
  const coming = [];
  let asked = 0;
  for (let at = 0; at < length; at += size) {
    for (; asked < length && coming.length <= AHEAD; asked += size) {
      coming.push(read(offset + asked, Math.min(size, length - asked), { signal }));
      coming.at(-1).catch(() => {});
    }
    const part = await coming.shift();
    signal.throwIfAborted();
    yield part;
    signal.throwIfAborted();
  }
}
