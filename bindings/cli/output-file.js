import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { open, readdir, realpath, rename } from 'node:fs/promises';
import { PackedError } from 'packed-weights';
import { requireNoLink, requireReplaceable, unfinishedName } from './output-path.js';
import { removedUnlessDone } from './unfinished.js';

/**
 * Writes a file under a temporary name beside it and renames it when it is whole: whoever reads `path`
 * sees the old file or the new one.
 * @param {string} path
 * @param {string[]} inputs
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks
 */
export async function replaceFile(path, inputs, chunks) {
  await requireReplaceable(path, inputs);
  const unfinished = unfinishedName(path);
  await removedUnlessDone(unfinished, async () => {
    make(path, () => writeFileSync(unfinished, '', { flag: 'wx' }));
    const handle = await open(unfinished, 'r+');
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk);
    } finally {
      await handle.close();
    }
    await rename(unfinished, path);
  });
}

/**
 * The same for a folder, which must not exist yet or be empty.
 * @param {string} path
 * @param {(folder: string) => Promise<void>} fill
 */
export async function newFolder(path, fill) {
  await requireNoLink(path);
  const there = await readdir(path).catch(({ code }) => (code === 'ENOENT' ? [] : null));
  if (there === null || there.length > 0) {
    throw new PackedError(
      'WRITE_REFUSED',
      `${path} is there already${there ? ` and holds ${there[0]}` : ', and is no folder'}: choose another output`,
    );
  }
  const unfinished = unfinishedName(path);
  await removedUnlessDone(unfinished, async () => {
    make(path, () => mkdirSync(unfinished));
    await fill(await realpath(unfinished));
    // At once, or a signal would find it half renamed.
    renameSync(unfinished, path);
  });
}

/**
 * @param {string} path
 * @param {() => void} makeUnfinished
 */
function make(path, makeUnfinished) {
  try {
    makeUnfinished();
  } catch (thrown) {
    const cause = /** @type {NodeJS.ErrnoException} */ (thrown);
    const message = `${path} cannot be written (${cause.code}): choose another output, in a folder that is there`;
    throw new PackedError('WRITE_REFUSED', message, { cause });
  }
}
