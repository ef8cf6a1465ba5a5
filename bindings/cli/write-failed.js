import { PackedError } from 'packed-weights';

/** What to do about an output, by what the system says. @type {Record<string, string>} */
const cures = {
  ENOENT: 'choose another output, in a folder that is there',
  ENOTDIR: 'a part of it before the last is no folder; choose another output',
  ENAMETOOLONG: 'its name is too long there; choose another, shorter one',
  EACCES: 'its folder may not be written; choose another output, or let it be written',
  EPERM: 'its folder may not be written; choose another output, or let it be written',
  EROFS: 'what is there can only be read; choose another output',
  ELOOP: 'its links lead in a circle; choose another output',
  ENOSPC: 'there is no room left; make some, or choose another output',
  EDQUOT: 'no more is allowed to be stored there; make room, or choose another output',
  EFBIG: 'files there may not be as large; choose another output',
};

/** @param {unknown} thrown */
const codeOf = (thrown) => String(/** @type {NodeJS.ErrnoException} */ (thrown)?.code);

/** @param {string} code */
const cureFor = (code) => cures[code] ?? 'choose another output';

/**
 * Why nothing can be written by a name.
 * @param {string} path
 * @param {unknown} cause
 */
export function notWritable(path, cause) {
  const code = codeOf(cause);
  const message = `${path} cannot be written (${code}): ${cureFor(code)}`;
  return new PackedError('WRITE_REFUSED', message, { cause });
}

/**
 * Why writing, once begun, came to no end; what the system has not said is as it was.
 * @param {string} path
 * @param {unknown} cause
 */
export function brokenOff(path, cause) {
  if (!(/** @type {NodeJS.ErrnoException} */ (cause)?.syscall)) return cause;
  const code = codeOf(cause);
  const message = `${path} could not be written to its end (${code}): ${cureFor(code)}; what was there before is as it was`;
  return new PackedError('IO_FAILED', message, { cause });
}
