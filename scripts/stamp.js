// Skips work whose inputs have not changed since it was last done.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './terminal.js';

/**
 * Runs `work` unless the last finished run saw the same inputs and its outputs are still there.
 * `inputs` are files and folders, `outputs` files, all relative to the root; `also` is any further
 * text that the result depends on. True when it ran.
 */
export async function whenChanged(name, { inputs, outputs, also = '' }, work) {
  const stamp = join(root, 'build/stamps', name);
  const digest = digestOf(inputs, also);
  const done = existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
  if (done && outputs.every((path) => existsSync(join(root, path)))) return false;
  await work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
  return true;
}

function digestOf(paths, also) {
  const hash = createHash('sha256').update(also);
  for (const path of paths.flatMap(filesIn)) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

/** The files at or below a path (relative to the root), sorted; none when it is not there. */
export function filesIn(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [path];
  return readdirSync(full)
    .filter((name) => name !== 'node_modules' && !name.startsWith('.'))
    .sort()
    .flatMap((name) => filesIn(`${path}/${name}`));
}
