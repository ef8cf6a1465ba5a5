// node examples/native-cmake/run.js: `cmake --install` into a folder of its own, then the project against it,
// the sources out of sight.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPreset } from '../../scripts/cmake.js';
import { root, run } from '../../scripts/terminal.js';

const here = dirname(fileURLToPath(import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'packed-weights-'));
try {
  const place = join(work, 'installed');
  const built = await buildPreset('native-release', { target: 'packed' });
  await run('cmake', ['--install', built, '--prefix', place]);
  mustNotPointBack(place);
  const build = join(work, 'build');
  const options = [`-DCMAKE_PREFIX_PATH=${place}`, '-DCMAKE_BUILD_TYPE=Release'];
  await run('cmake', ['-S', here, '-B', build, ...options]);
  await run('cmake', ['--build', build]);
  process.stdout.write(await run(join(build, 'multiply')));
} finally {
  rmSync(work, { recursive: true });
}

// What is installed may be copied to another machine.
function mustNotPointBack(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.cmake')) continue;
    const text = readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'utf8');
    if (text.includes(root)) throw new Error(`${entry.name} names ${root}`);
  }
}
