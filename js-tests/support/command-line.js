import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = join(root, 'dist/cli/main.js');

/**
 * The built `packed-weights` command, run in a folder.
 * @param {string} folder
 */
export function commandIn(folder) {
  return (/** @type {string[]} */ ...words) =>
    spawnSync(process.execPath, [program, ...words], { cwd: folder, encoding: 'utf8' });
}
