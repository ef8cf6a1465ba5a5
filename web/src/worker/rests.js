/** Long work in the worker gives way to messages now and then: a cancellation is one. */

/** In milliseconds: half of what a cancellation may take. */
const LONG = 40;

/**
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 */
export function restsOf(signal, onProgress) {
  let last = performance.now();
  return {
    /** Whether it has been going on for long. */
    due: () => performance.now() - last > LONG,
    /** Gives way, and says how far the work is. @param {number} done @param {number} total 0 where nobody knows */
    async rest(done, total) {
      onProgress(done, total);
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      last = performance.now();
    },
  };
}
