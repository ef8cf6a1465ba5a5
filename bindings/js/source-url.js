import { PackedError } from './errors.js';
import { checked, fromBlob } from './checked-source.js';

/**
 * A file behind a URL, read by Range requests. A server that ignores them sends all of the file, which is
 * then kept as a Blob and read from there.
 * @param {URL} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./checked-source.js').Source>}
 */
export async function openUrl(url, signal) {
  const response = await ask(url, 0, 1, signal);
  if (response.status === 200) return { ...fromBlob(await response.blob()), name: url.href };
  if (response.status === 416) return checked(url.href, 0, async () => new Uint8Array());
  await response.arrayBuffer();
  const size = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]);
  if (!Number.isSafeInteger(size)) {
    throw new PackedError(
      'IO_FAILED',
      `${url.href} does not say how long it is (Content-Range: ${response.headers.get('content-range')}): let the server send and expose it, or download the file`,
    );
  }
  const version = response.headers.get('etag') ?? response.headers.get('last-modified');
  return checked(url.href, size, async (offset, length, abort) => {
    const part = await ask(url, offset, length, abort);
    const now = part.headers.get('etag') ?? part.headers.get('last-modified');
    if (part.status !== 206 || now !== version) {
      throw new PackedError('IO_FAILED', `${url.href} changed while it was read: open it again`, {
        offset,
      });
    }
    const range = part.headers.get('content-range') ?? '';
    if (!range.startsWith(`bytes ${offset}-${offset + length - 1}/`)) {
      throw new PackedError(
        'IO_FAILED',
        `${url.href} sent other bytes than ${offset} to ${offset + length - 1} (Content-Range: ${range}): its server does not keep to Range; download the file`,
        { offset },
      );
    }
    return new Uint8Array(await part.arrayBuffer());
  });
}

/**
 * @param {URL} url
 * @param {number} offset
 * @param {number} length
 * @param {AbortSignal} [signal]
 */
async function ask(url, offset, length, signal) {
  const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
  let response;
  try {
    response = await fetch(url, { headers, signal: signal ?? null });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new PackedError('IO_FAILED', `${url.href} cannot be fetched: ${cause}`, {
      offset,
      cause,
    });
  }
  if (response.ok || response.status === 416) return response;
  throw new PackedError(
    'IO_FAILED',
    `${url.href} answered ${response.status} ${response.statusText}`,
    {
      offset,
    },
  );
}
