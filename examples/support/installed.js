/**
 * Gives an example what its user has: its own files in a folder of their own, the packages of its lock file
 * (kept in the cache for the next time), and packed-weights installed from the tarball that would be published.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../scripts/emscripten.js';
import { withLock } from '../../scripts/lock.js';
import { whenChanged } from '../../scripts/stamp.js';
import { attempt, root, run } from '../../scripts/terminal.js';

/**
 * @param {string} url of the example's run.js
 * @param {(example: { folder: string, run: (program: string, ...args: string[]) => Promise<string> }) => Promise<void>} work
 *   `run` runs a program there and gives what it says; a program that fails, fails the example
 */
export async function withInstalled(url, work) {
  const from = dirname(fileURLToPath(url));
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json'].map((name) => join(from, name))) {
    if (existsSync(name)) hash.update(readFileSync(name));
  }
  const name = `${from.split('/').at(-1)}-${hash.digest('hex').slice(0, 16)}`;
  const folder = join(cacheFolder, 'examples', name);
  await withLock(`${folder}.lock`, async () => {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) {
      if (name !== 'node_modules') rmSync(join(folder, name), { recursive: true });
    }
    cpSync(from, folder, { recursive: true });
    const inFolder = async (program, ...args) => {
      const { status, output } = await attempt(program, args, { cwd: folder });
      if (status !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${status}`);
      return output;
    };
    const installed = () => existsSync(join(folder, 'node_modules/.package-lock.json'));
    if (existsSync(join(folder, 'package-lock.json')) && !installed()) {
      // Bundlers are development dependencies, which npm leaves out where NODE_ENV is production.
      const options = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
      await inFolder('npm', 'ci', ...options);
      if (!installed())
        throw new Error(`npm ci says that it is done, but ${folder} has no packages`);
    }
    const place = join(folder, 'node_modules/packed-weights');
    rmSync(place, { recursive: true, force: true });
    cpSync(await installedPackage(), place, { recursive: true });
    // What npm puts there for npx.
    const bin = join(folder, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    rmSync(join(bin, 'packed-weights'), { force: true });
    symlinkSync('../packed-weights/dist/cli/main.js', join(bin, 'packed-weights'));
    await work({ folder, run: inFolder });
  });
}

/** packed-weights as `npm install TARBALL` unpacks it, made once for every state of dist/. */
async function installedPackage() {
  const home = join(root, 'build/examples');
  const place = join(home, 'node_modules/packed-weights');
  await withLock(join(root, 'build/examples.lock'), () =>
    whenChanged(
      'examples',
      {
        inputs: ['dist', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
        outputs: ['build/examples/node_modules/packed-weights/package.json'],
      },
      async () => {
        rmSync(home, { recursive: true, force: true });
        mkdirSync(home, { recursive: true });
        await run('npm', ['pack', '--ignore-scripts', '--pack-destination', home]);
        const [tarball] = readdirSync(home);
        renameSync(join(home, tarball), join(home, 'packed-weights.tgz'));
        const options = ['--prefix', home, '--offline', '--no-save', '--no-audit', '--no-fund'];
        await run('npm', ['install', ...options, join(home, 'packed-weights.tgz')]);
      },
    ),
  );
  return place;
}
