import { randomBytes } from 'node:crypto';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, sep } from 'node:path';
import { PackedError } from 'packed-weights';
import { notWritable } from './write-failed.js';

/**
 * Refuses what no file may be written in place of: an input, whatever names it goes by; a link; and what is no file
 * (a folder, a pipe, a device).
 * @param {string} path
 * @param {string[]} inputs
 */
export async function requireReplaceable(path, inputs) {
  const target = await identityOf(path);
  for (const input of inputs) {
    const read = fileOf(input);
    if (target === null || read === null || target !== (await identityOf(read))) continue;
    throw refused(
      `${path} is the input ${input}, which is never overwritten: choose another output`,
    );
  }
  await requireNoLink(path);
  if (path.endsWith('/') || path.endsWith(sep)) {
    throw refused(`${path} names a folder, and a file is written: leave out the slash at its end`);
  }
  const there = await unlessMissing(path, stat);
  if (there !== null && !there.isFile()) {
    throw refused(`${path} is no file and is not replaced by one: choose another output`);
  }
}

/**
 * Refuses a link, which would be replaced in place of what it leads to.
 * @param {string} path
 */
export async function requireNoLink(path) {
  const there = await unlessMissing(path, () => lstat(beside(path, basename(path))));
  if (!there?.isSymbolicLink()) return;
  throw refused(
    `${path} is a link to ${await targetOf(path)} and is not replaced: give that path as the output`,
  );
}

/** @param {string} message */
const refused = (message) => new PackedError('WRITE_REFUSED', message);

/**
 * What is there; a path by which nothing can be is refused before any work.
 * @param {string} path
 * @param {(path: string) => Promise<import('node:fs').Stats>} look
 */
async function unlessMissing(path, look) {
  try {
    return await look(path);
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code === 'ENOENT') return null;
    throw notWritable(path, cause);
  }
}

/** @param {string} path a link, which may lead to something that is not there */
async function targetOf(path) {
  try {
    return await realpath(path);
  } catch {
    const target = await readlink(beside(path, basename(path)));
    return isAbsolute(target) ? target : `${await realpath(dirname(path))}/${target}`;
  }
}

// Of a name, in what is put beside it: file systems know names of 255 bytes, some of 143.
const mostOfName = 100;

/** @param {string} path */
export function unfinishedName(path) {
  const name = basename(path);
  if (name === '.' || name === '..' || name === '') {
    throw refused(`${path} says no name: choose one for the output`);
  }
  let start = '';
  for (const character of name) {
    if (Buffer.byteLength(start + character) > mostOfName) break;
    start += character;
  }
  return beside(path, `.${start}.${randomBytes(6).toString('hex')}.unfinished`);
}

/**
 * In whatever folder the system finds by the name of the path: no link and no '..' is worked out here.
 * @param {string} path
 * @param {string} name
 */
const beside = (path, name) => `${dirname(path)}/${name}`;

/**
 * The file that an input names, null when it comes from elsewhere: what is opened begins as a URL or is a path.
 * @param {string} input
 */
function fileOf(input) {
  if (/^file:/i.test(input)) return new URL(input);
  return /^(https?|blob|data):/i.test(input) ? null : input;
}

/** @param {string | URL} path what a file is however it is reached, null when there is none */
async function identityOf(path) {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
