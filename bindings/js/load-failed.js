import { PackedError } from './errors.js';

/**
 * Does what fetches or starts a part of the package; whatever goes wrong is a LOAD_FAILED.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function failing(work) {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PackedError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new PackedError('LOAD_FAILED', `A part of the package could not be loaded: ${text}`, {
      cause,
    });
  }
}
