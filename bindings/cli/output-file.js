import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { open, readdir, realpath, rename, stat } from 'node:fs/promises';
import { PackedError } from 'packed-weights';
import { requireNoLink, requireReplaceable, unfinishedName } from './output-path.js';
import { removedUnlessDone } from './unfinished.js';
import { brokenOff, notWritable } from './write-failed.js';

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
  const mode = await modeOf(path);
  const failed = failing(path);
  await removedUnlessDone(unfinished, async () => {
    make(path, () => writeFileSync(unfinished, '', { flag: 'wx', ...own(mode, 0o600) }));
    const handle = await open(unfinished, 'r+');
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk).catch(failed);
      if (mode !== null) await handle.chmod(mode);
    } finally {
      await handle.close().catch(failed);
    }
    await rename(unfinished, path).catch(failed);
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
  const mode = await modeOf(path);
  await removedUnlessDone(unfinished, async () => {
    make(path, () => mkdirSync(unfinished, own(mode, 0o700)));
    await fill(await realpath(unfinished)).catch(failing(path));
    try {
      if (mode !== null) chmodSync(unfinished, mode);
      // At once, or a signal would find it half renamed.
      renameSync(unfinished, path);
    } catch (cause) {
      throw brokenOff(path, cause);
    }
  });
}

/** @param {string} path who may read and write what is replaced, null where nothing is */
async function modeOf(path) {
  const there = await stat(path).catch(() => null);
  return there && there.mode & 0o777;
}

/**
 * Until it is whole, what replaces something is open to nobody to whom that may be closed.
 * @param {number | null} mode
 * @param {number} closed
 */
const own = (mode, closed) => (mode === null ? {} : { mode: closed });

/** @param {string} path @returns {(cause: unknown) => never} */
const failing = (path) => (cause) => {
  throw brokenOff(path, cause);
};

/**
 * @param {string} path
 * @param {() => void} makeUnfinished
 */
function make(path, makeUnfinished) {
  try {
    makeUnfinished();
  } catch (cause) {
    throw notWritable(path, cause);
  }
}
