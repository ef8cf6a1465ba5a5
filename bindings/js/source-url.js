import { checked, fromBlob } from './checked-source.js';
import { ask, brokenOff, bytesOf, nameOf, refused, versionOf } from './url-part.js';

/**
 * A file behind a URL, read by Range requests. A server that ignores them sends all of the file, which is
 * then kept as a Blob and read from there; so is what a blob: or data: URL holds.
 * @param {URL} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./checked-source.js').Source>}
 */
export async function openUrl(url, signal) {
  const name = nameOf(url);
  // Two bytes: servers that take the last byte of "bytes=0-0" for none stated (sirv, of Vite) send the whole file.
  const part = { url, offset: 0, length: 2, signal };
  const response = await ask(part);
  const { status } = response;
  if (status === 200) {
    const blob = await response.blob().catch((cause) => {
      throw brokenOff(part, 'before all of the file had come', cause);
    });
    return { ...fromBlob(blob), name };
  }
  const range = response.headers.get('content-range');
  // How servers say that an empty file has no byte to send.
  if (status === 416 && /^bytes \*\/0$/.test(range ?? '')) {
    await response.body?.cancel();
    return checked(name, 0, async () => new Uint8Array());
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
  await bytesOf({ ...part, length: Math.min(2, size) }, file, response);
  return checked(name, size, (offset, length, abort, room) =>
    bytesOf({ url, offset, length, signal: abort }, file, undefined, room),
  );
}
