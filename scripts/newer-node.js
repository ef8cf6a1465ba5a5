// A newer Node for the tests: Node 20, the oldest that users have, lacks relaxed SIMD. It comes from
// npm into the cache and is called by its path: inside node_modules it would take the place of the
// `node` that npm's own scripts run with.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './emscripten.js';
import { root, run } from './terminal.js';

const manifests = join(root, 'scripts/newer-node');

/** Path of the newer Node, fetched once per machine; null where npm has none (not Linux). */
export async function ensureNewerNode() {
  const name = `node-linux-${process.arch}`;
  const lock = JSON.parse(readFileSync(join(manifests, 'package-lock.json'), 'utf8'));
  const version = lock.packages[`node_modules/${name}`]?.version;
  if (process.platform !== 'linux' || !version) return null;
  const folder = join(cacheFolder, `node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;

  mkdirSync(cacheFolder, { recursive: true });
  const made = mkdtempSync(join(cacheFolder, 'new-node-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(manifests, file), join(made, file));
    }
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: made });
    renameSync(made, folder);
  } catch (error) {
    // Somebody else renamed theirs first: as good as ours.
    if (!existsSync(program)) throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return program;
}
