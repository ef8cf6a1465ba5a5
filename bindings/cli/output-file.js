import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { PackedError } from 'packed-weights';

/**
 * Writes a file under a temporary name beside it and renames it when it is whole: whoever reads `path`
 * sees the old file or the new one. An input is never overwritten, whatever names it goes by, and what is no
 * file (a folder, a pipe, a device) is not replaced by one.
 * @param {string} path
 * @param {string[]} inputs
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks
 */
export async function replaceFile(path, inputs, chunks) {
  await requireNoInput(path, inputs);
  await requireFile(path);
  const unfinished = unfinishedName(path);
  const handle = await open(unfinished, 'wx').catch((cause) => cannotWrite(path, cause));
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
    await handle.close();
    await rename(unfinished, path);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * The same for a folder, which must not exist yet or be empty.
 * @param {string} path
 * @param {(folder: string) => Promise<void>} fill
 */
export async function newFolder(path, fill) {
  const there = await readdir(path).catch(({ code }) => (code === 'ENOENT' ? [] : null));
  if (there === null || there.length > 0) {
    throw new PackedError(
      'WRITE_REFUSED',
      `${path} is there already${there ? ` and holds ${there[0]}` : ', and is no folder'}: choose another output`,
    );
  }
  const unfinished = unfinishedName(path);
  await mkdir(unfinished).catch((cause) => cannotWrite(path, cause));
  try {
    await fill(await realpath(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Beside it, in whatever folder the system finds by its name: no link and no '..' is worked out here.
 * @param {string} path
 */
function unfinishedName(path) {
  const name = basename(path);
  if (name === '.' || name === '..') {
    throw new PackedError('WRITE_REFUSED', `${path} says no name: choose one for the output`);
  }
  return `${dirname(path)}/.${name}.${randomBytes(6).toString('hex')}.unfinished`;
}

/**
 * @param {string} path
 * @param {any} cause
 * @returns {never}
 */
function cannotWrite(path, cause) {
  const message = `${path} cannot be written (${cause.code}): choose another output, in a folder that is there`;
  throw new PackedError('WRITE_REFUSED', message, { cause });
}

/**
 * @param {string} path
 * @param {string[]} inputs
 */
async function requireNoInput(path, inputs) {
  const target = await identityOf(path);
  for (const input of inputs) {
    if (target === null || target !== (await identityOf(input))) continue;
    throw new PackedError(
      'WRITE_REFUSED',
      `${path} is the input ${input}, which is never overwritten: choose another output`,
    );
  }
}

/** @param {string} path */
async function requireFile(path) {
  const there = await stat(path).catch(() => null);
  if (there === null || there.isFile()) return;
  throw new PackedError(
    'WRITE_REFUSED',
    `${path} is no file and is not replaced by one: choose another output`,
  );
}

/** @param {string} path what a file is however it is reached, null when there is none */
async function identityOf(path) {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
