import { PackedError, reasonOf } from './errors.js';
import { checked, fromBlob } from './checked-source.js';

/**
 * A file behind a URL, read by Range requests. A server that ignores them sends all of the file, which is
 * then kept as a Blob and read from there.
 * @param {URL} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./checked-source.js').Source>}
 */
export async function openUrl(url, signal) {
  const part = { url, offset: 0, length: 1, signal };
  const response = await ask(part);
  const { status } = response;
  if (status === 200) {
    const blob = await response.blob().catch((cause) => {
      throw brokenOff(part, 'before all of the file had come', cause);
    });
    return { ...fromBlob(blob), name: url.href };
  }
  const range = response.headers.get('content-range');
  // How servers say that an empty file has no byte to send.
  if (status === 416 && /^bytes \*\/0$/.test(range ?? '')) {
    await response.body?.cancel();
    return checked(url.href, 0, async () => new Uint8Array());
  }
  const size = Number(/\/(\d+)$/.exec(range ?? '')?.[1]);
  if (!Number.isSafeInteger(size)) {
    throw await refused(
      part,
      response,
      `does not say how long it is (status ${status}, Content-Range: ${range}): let the server send and expose it, or download the file`,
    );
  }
  await bytesOf(part, response, size);
  const version = versionOf(response);
  return checked(url.href, size, async (offset, length, abort, room) => {
    const next = { url, offset, length, signal: abort };
    const answer = await ask(next);
    if (answer.status === 206 && versionOf(answer) !== version) {
      throw await refused(next, answer, 'changed while it was read: open it again');
    }
    return bytesOf(next, answer, size, room);
  });
}

/** @typedef {{ url: URL, offset: number, length: number, signal: AbortSignal | undefined }} Part what is asked for */

/** @param {Part} part */
async function ask(part) {
  const { url, offset, length, signal } = part;
  const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
  let response;
  try {
    response = await fetch(url, { headers, signal: signal ?? null });
  } catch (cause) {
    throw failed(
      part,
      `cannot be fetched (${reasonOf(cause)}): is the address right, does the server answer, and does it let this page read it?`,
      cause,
    );
  }
  const { ok, status, statusText } = response;
  if (ok || status === 416) return response;
  const cure = status === 429 || status >= 500 ? 'try again later' : 'check the address';
  throw await refused(part, response, `answered ${status} ${statusText}`.trimEnd() + `: ${cure}`);
}

/**
 * The bytes of an answer, once it is what was asked for; not one more is kept, however many are sent.
 * @param {Part} part
 * @param {Response} response
 * @param {number} size of the file
 * @param {Uint8Array} [room] of at least so many bytes
 * @returns {Promise<Uint8Array>}
 */
async function bytesOf(part, response, size, room = new Uint8Array(part.length)) {
  const { offset, length } = part;
  const last = offset + length - 1;
  const range = response.headers.get('content-range');
  const same = [`bytes ${offset}-${last}/${size}`, `bytes ${offset}-${last}/*`];
  if (response.status !== 206 || !same.includes(range ?? '')) {
    throw await refused(
      part,
      response,
      `sent something else than bytes ${offset} to ${last} of ${size} (status ${response.status}, Content-Range: ${range}): open it again if it has changed; else its server does not keep to Range, download the file`,
    );
  }
  if (sentAs(response, length)) {
    const bytes = await response.arrayBuffer().catch((cause) => {
      throw brokenOff(part, `within bytes ${offset} to ${last}`, cause);
    });
    if (bytes.byteLength > length) throw sentMore(part);
    room.set(new Uint8Array(bytes));
    return room.subarray(0, bytes.byteLength);
  }
  let filled = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch((cause) => {
      throw brokenOff(part, `within bytes ${offset} to ${last}`, cause);
    });
    if (done) break;
    if (filled + value.length > length) {
      await reader.cancel();
      throw sentMore(part);
    }
    room.set(value, filled);
    filled += value.length;
  }
  return room.subarray(0, filled);
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
const versionOf = ({ headers }) => headers.get('etag') ?? headers.get('last-modified');

/**
 * @param {Part} part
 * @param {string} when
 * @param {unknown} cause
 */
function brokenOff(part, when, cause) {
  return failed(part, `broke off ${when} (${reasonOf(cause)}): try again`, cause);
}

/**
 * What an answer is refused with; the rest of it is not waited for.
 * @param {Part} part
 * @param {Response} response
 * @param {string} what
 */
async function refused(part, response, what) {
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
  return new PackedError('IO_FAILED', `${url.href} ${what}`, { offset, cause });
}
