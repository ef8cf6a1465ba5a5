import { exitCodes } from './command.js';

/**
 * Nobody may be reading what is printed: `| head` has seen enough, and what the verb writes to files is wanted all the
 * same. Whatever else keeps the output from being written is said, and is no success.
 */
export function outliveReaders() {
  process.stderr.on('error', () => {});
  let said = false;
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ { code, message }) => {
    // Whatever is printed afterwards fails as well.
    if (code === 'EPIPE' || said) return;
    said = true;
    process.exitCode = exitCodes.usage;
    process.stderr.write(`IO_FAILED: what is printed cannot be written: ${message}\n`);
  });
}
