// Makes a machine ready: `ensure` installs what is missing where it may (root on Debian), and says
// in one sentence what to install where it may not. Quick when nothing is missing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, canInstall, debianCodename } from './debian.js';
import { ensureEmscripten } from './emscripten.js';
import { withLock } from './lock.js';
import { missingPackages } from './packages.js';
import { Failure, isProgram, main, root, run, say, timed } from './terminal.js';

/**
 * Ensures groups of packages.js, and 'npm': the packages of package-lock.json. 'wasm' brings npm's
 * and Emscripten along. Gives { emscripten } for those who build with it.
 */
export async function ensure(...groups) {
  checkNode();
  await ensureSystem(groups.filter((group) => group !== 'npm'));
  if (groups.includes('npm') || groups.includes('wasm')) await ensureNodeModules();
  return { emscripten: groups.includes('wasm') ? await ensureEmscripten() : null };
}

function checkNode() {
  if (Number(process.versions.node.split('.')[0]) >= 20) return;
  throw new Failure(`Node 20 or newer is needed; this is ${process.versions.node}.`);
}

async function ensureSystem(groups) {
  const missing = missingPackages(groups);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const packages = missing.map(({ debian }) => debian);
  if (canInstall()) {
    await timed(`Installing ${names}`, () => aptInstall(packages));
    return;
  }
  throw new Failure(
    debianCodename()
      ? `Missing: ${names}; run "sudo apt-get install ${packages.join(' ')}" and try again.`
      : `Missing: ${names}; install them with your system's packages and try again.`,
  );
}

async function ensureNodeModules() {
  if (installedAsLocked()) return;
  await withLock(join(root, 'build/npm.lock'), async () => {
    if (installedAsLocked()) return;
    const options = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
    await timed('Installing npm packages', () => run('npm', ['ci', ...options]));
  });
}

// npm leaves its own record of what it put into node_modules: compare that with the lock file.
function installedAsLocked() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  try {
    const installed = read('node_modules/.package-lock.json');
    return Object.entries(read('package-lock.json')).every(
      ([path, { version, optional }]) =>
        path === '' || installed[path]?.version === version || (optional && !installed[path]),
    );
  } catch {
    return false;
  }
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { emscripten } = await ensure('npm', 'build', 'wasm', 'browsers', 'format');
    say(`Ready: Emscripten ${emscripten.version}`);
  });
}
