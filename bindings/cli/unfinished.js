import { rmSync } from 'node:fs';

const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Does what makes a file or folder of a temporary name and takes the name away again. Where it fails, or the process
 * is told to end meanwhile, nothing of the name is left behind; the process ends by the signal as it would have.
 * @param {string} path
 * @param {() => Promise<void>} work that makes it synchronously, so that no signal comes between
 */
export async function removedUnlessDone(path, work) {
  // A write that is under way may make a file in a folder that is just being emptied.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  const unlisten = () => signals.forEach((each) => process.off(each, end));
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    try {
      remove();
    } finally {
      unlisten();
      process.kill(process.pid, signal);
    }
  };
  for (const each of signals) process.on(each, end);
  try {
    await work();
  } catch (error) {
    try {
      remove();
    } catch {
      // Why the work failed says more.
    }
    throw error;
  } finally {
    unlisten();
  }
}
