import { PackedError } from 'packed-weights';
import { printable } from './table.js';

/**
 * What is said of an error on stderr; null where it is one of the program, whose stack is wanted.
 * @param {unknown} thrown
 * @returns {string | null}
 */
export function complaintOf(thrown) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (thrown);
  if (isOutOfMemory(thrown)) return `OUT_OF_MEMORY: ${printable(forWhoWaits(message))}\n`;
  if (thrown instanceof PackedError) return `${code}: ${printable(message)}\n`;
  // Of the system: a file that is not there, a folder that may not be written.
  return code ? `IO_FAILED: ${printable(message)}\n` : null;
}

/** @param {unknown} thrown where an engine finds no memory, it has no code for that */
const isOutOfMemory = (thrown) =>
  (thrown instanceof PackedError && thrown.code === 'OUT_OF_MEMORY') ||
  (thrown instanceof RangeError && /allocation|array length/i.test(thrown.message));

/**
 * Programs may give back what they hold; who waits for one has nothing to give.
 * @param {string} message
 */
function forWhoWaits(message) {
  const what = message.replace(/[;:] (dispose|free|close) .*$/s, '');
  return `${what}: end other programs, or use a machine with more memory; of one tensor, no more than 4 GiB can be held`;
}
