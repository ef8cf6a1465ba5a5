import { roomFor } from './checked-source.js';
import { PackedError, reasonOf } from './errors.js';

/** @typedef {{ url: URL, offset: number, length: number, signal: AbortSignal | undefined }} Part what is asked for */

/** @param {Part} part */
export async function ask(part) {
  const response = await send(part).catch((cause) => {
    throw unfetched(part, cause);
  });
  await requireSuccess(part, response);
  return response;
}

/** @param {Part} part @param {boolean} [past] the cache, of what it may have kept of an answer that broke off */
function send({ url, offset, length, signal }, past = false) {
  // Node 20 takes a part of a blob: URL to end a byte sooner than it does; what these hold is in memory anyway.
  const parts = !/^(blob|data):$/.test(url.protocol);
  const range = { Range: `bytes=${offset}-${offset + length - 1}` };
  return fetch(url, {
    headers: parts ? range : {},
    signal: signal ?? null,
    cache: past ? 'no-store' : 'default',
  });
}

/** @param {Part} part @param {Response} response */
async function requireSuccess(part, response) {
  const { ok, status, statusText } = response;
  if (ok || status === 416) return;
  const cure =
    status === 401 || status === 403
      ? 'it gives the file only to who may have it, download it with your login and open that'
      : status === 429 || status >= 500
        ? 'try again later'
        : 'check the address';
  throw await refused(part, response, `answered ${status} ${statusText}`.trimEnd() + `: ${cure}`);
}

/** @typedef {{ size: number, version: string | null }} Whole the file as it was when it was opened */

// How often a part is asked for again, from where it stopped: a long one comes to its end where connections are cut, or
// an engine gives up a request, now and then.
const mostAgain = 3;

/**
 * The bytes of a part, of which each answer says itself which it has.
 * @param {Part} part
 * @param {Whole} file
 * @param {Response} [first] what has been answered already
 * @param {Uint8Array} [given] room of at least so many bytes
 * @returns {Promise<Uint8Array>} fewer where an answer ended sooner and nothing says that it broke off
 */
export async function bytesOf(part, file, first, given) {
  const { url, offset, length, signal } = part;
  const room = given ?? roomFor(nameOf(url), offset, length);
  let filled = 0;
  for (let again = 0; ; ++again) {
    const giveUp = () => again === mostAgain || signal?.aborted === true;
    const missing = { url, offset: offset + filled, length: length - filled, signal };
    let answer = again === 0 ? first : undefined;
    try {
      answer ??= await send(missing, again > 0);
    } catch (cause) {
      if (giveUp()) throw unfetched(missing, cause);
      continue;
    }
    await requirePart(missing, answer, file);
    const { count, whole, cause } = await taken(missing, answer, room.subarray(filled, length));
    filled += count;
    if (whole) return room.subarray(0, filled);
    if (giveUp()) {
      throw brokenOff(part, `within bytes ${offset} to ${offset + length - 1}`, cause);
    }
    // All has come and still something is wrong, or it came compressed: none of it can be trusted.
    if (filled === length || answer.headers.has('content-encoding')) filled = 0;
  }
}

/**
 * Refuses an answer that is not of the part asked for, or of another state of the file.
 * @param {Part} part
 * @param {Response} answer
 * @param {Whole} file
 */
async function requirePart(part, answer, { size, version }) {
  await requireSuccess(part, answer);
  const { offset, length } = part;
  const { status, headers } = answer;
  if (status === 206 && versionOf(answer) !== version) {
    throw await refused(part, answer, 'changed while it was read: open it again');
  }
  const last = offset + length - 1;
  const range = headers.get('content-range');
  const same = [`bytes ${offset}-${last}/${size}`, `bytes ${offset}-${last}/*`];
  if (status === 206 && same.includes(range ?? '')) return;
  throw await refused(
    part,
    answer,
    `sent something else than bytes ${offset} to ${last} of ${size} (status ${status}, Content-Range: ${range}): open it again if it has changed; else its server does not keep to Range, download the file`,
  );
}

/**
 * What comes of an answer; not one byte more than asked for is kept, however many are sent.
 * @param {Part} part
 * @param {Response} answer
 * @param {Uint8Array} room of its length
 * @returns {Promise<{ count: number, whole: boolean, cause?: unknown }>} whole: nothing says that it broke off
 */
async function taken(part, answer, room) {
  let count = 0;
  try {
    if (sentAs(answer, part.length)) {
      const bytes = await answer.arrayBuffer();
      if (bytes.byteLength > room.length) throw sentMore(part);
      room.set(new Uint8Array(bytes));
      return { count: bytes.byteLength, whole: true };
    }
    const reader = answer.body?.getReader();
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      if (count + value.length > room.length) {
        await reader.cancel();
        throw sentMore(part);
      }
      room.set(value, count);
      count += value.length;
    }
    return { count, whole: true };
  } catch (cause) {
    if (cause instanceof PackedError) throw cause;
    return { count, whole: false, cause };
  }
}

/** @param {Part} part */
const sentMore = (part) =>
  failed(
    part,
    `sent more than the ${part.length} bytes at ${part.offset} that were asked for: its server does not keep to Range, download the file`,
  );

/**
 * Whether an answer says that it is no longer than it should be. Such a one is taken whole: Chromium at times gives up a
 * request whose stream is read.
 * @param {Response} response
 * @param {number} length
 */
const sentAs = ({ headers }, length) =>
  headers.get('content-length') === String(length) && !headers.has('content-encoding');

/** @param {Response} response what tells one state of the file from another, where the server says it */
export const versionOf = ({ headers }) => headers.get('etag') ?? headers.get('last-modified');

/** @param {Part} part @param {unknown} cause */
function unfetched(part, cause) {
  return failed(
    part,
    `cannot be fetched (${reasonOf(cause)}): is the address right, does the server answer, and does it let this page read it?`,
    cause,
  );
}

/**
 * @param {Part} part
 * @param {string} when
 * @param {unknown} cause
 */
export function brokenOff(part, when, cause) {
  return failed(part, `broke off ${when} (${reasonOf(cause)}): try again`, cause);
}

/**
 * What an answer is refused with; the rest of it is not waited for.
 * @param {Part} part
 * @param {Response} response
 * @param {string} what
 */
export async function refused(part, response, what) {
  await response.body?.cancel().catch(() => {});
  return failed(part, what);
}

/**
 * @param {Part} part
 * @param {string} what
 * @param {unknown} [cause]
 */
function failed({ url, offset, signal }, what, cause) {
  signal?.throwIfAborted();
  return new PackedError('IO_FAILED', `${nameOf(url)} ${what}`, { offset, cause });
}

const longestName = 400;

/** What a file is called in messages: a data: URL would be all of its bytes. @param {URL} url */
export const nameOf = ({ href }) =>
  href.length > longestName ? `${href.slice(0, longestName)}..` : href;
