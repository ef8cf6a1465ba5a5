import { PackedError, reasonOf } from './errors.js';

/**
 * Does what fetches or starts a part of the package; whatever goes wrong is a LOAD_FAILED.
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [what] is loaded
 * @returns {Promise<T>}
 */
export async function failing(work, what = 'A part of the package') {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PackedError) throw cause;
    const reason = reasonOf(cause);
    const cure = /unsafe-eval|CSP/.test(reason)
      ? "allow script-src 'wasm-unsafe-eval'"
      : "serve all files of one version of the package together, import 'packed-weights/inline', or pass load({ wasm })";
    throw new PackedError('LOAD_FAILED', `${what} could not be loaded (${reason}): ${cure}`, {
      cause,
    });
  }
}
