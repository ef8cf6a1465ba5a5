import { randomBytes } from 'node:crypto';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { PackedError } from 'packed-weights';

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
    throw new PackedError(
      'WRITE_REFUSED',
      `${path} is the input ${input}, which is never overwritten: choose another output`,
    );
  }
  const there = await stat(path).catch(() => null);
  if (there !== null && !there.isFile()) {
    throw new PackedError(
      'WRITE_REFUSED',
      `${path} is no file and is not replaced by one: choose another output`,
    );
  }
  await requireNoLink(path);
}

/**
 * Refuses a link, which would be replaced in place of what it leads to.
 * @param {string} path
 */
export async function requireNoLink(path) {
  const there = await lstat(beside(path, basename(path))).catch(() => null);
  if (!there?.isSymbolicLink()) return;
  throw new PackedError(
    'WRITE_REFUSED',
    `${path} is a link to ${await targetOf(path)} and is not replaced: give that path as the output`,
  );
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

/** @param {string} path */
export function unfinishedName(path) {
  const name = basename(path);
  if (name === '.' || name === '..') {
    throw new PackedError('WRITE_REFUSED', `${path} says no name: choose one for the output`);
  }
  return beside(path, `.${name}.${randomBytes(6).toString('hex')}.unfinished`);
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
