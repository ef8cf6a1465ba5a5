import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PackedError } from 'packed-weights';

/**
 * Refuses an output that does not fit where it is to be: what it replaces is there until it is whole.
 * @param {string} output
 * @param {number} bytes
 */
export async function requireSpace(output, bytes) {
  // Of a folder that is not there, whoever writes says more.
  const there = await statfs(dirname(output)).catch(() => null);
  if (there === null) return;
  const { bavail, bsize } = there;
  const free = Number(bavail) * Number(bsize);
  if (bytes <= free) return;
  throw new PackedError(
    'WRITE_REFUSED',
    `${output} needs ${bytes} bytes, and ${free} are free there: nothing was written; make room, or choose another output`,
    { expected: `${bytes} bytes`, actual: `${free} bytes` },
  );
}
