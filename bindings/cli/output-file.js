import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PackedError } from 'packed-weights';

/**
 * Writes a file under a temporary name beside it and renames it when it is whole: whoever reads `path`
 * sees the old file or the new one. An input is never overwritten, whatever names it goes by.
 * @param {string} path
 * @param {string[]} inputs
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks
 */
export async function replaceFile(path, inputs, chunks) {
  const target = await identityOf(path);
  for (const input of inputs) {
    if (target === null || target !== (await identityOf(input))) continue;
    throw new PackedError(
      'WRITE_REFUSED',
      `${path} is the input ${input}, which is never overwritten: choose another output`,
    );
  }
  const name = `.${basename(path)}.${randomBytes(6).toString('hex')}.unfinished`;
  const unfinished = join(dirname(path), name);
  const handle = await open(unfinished, 'wx');
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

/** @param {string} path what a file is however it is reached, null when there is none */
async function identityOf(path) {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
