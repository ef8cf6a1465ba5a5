import { checked, fromBlob } from './checked-source.js';
import { ask, brokenOff, bytesOf, refused, versionOf } from './url-part.js';

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
  const file = { size, version: versionOf(response) };
  await bytesOf(part, file, response);
  return checked(url.href, size, (offset, length, abort, room) =>
    bytesOf({ url, offset, length, signal: abort }, file, undefined, room),
  );
}
