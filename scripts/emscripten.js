// Finds an Emscripten that is new enough, or makes one on Debian.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { aptInstall, canInstall, debianCodename } from './debian.js';
import { makePrivateEmscripten } from './emscripten-debian.js';
import { withLock } from './lock.js';
import { missingPackages } from './packages.js';
import { capture, Failure, isProgram, main, say, timed, which } from './terminal.js';

export const oldestEmscripten = '3.1.60';

/** Where things live that are made once per machine and outlast a checkout. */
export const cacheFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'packed-weights',
);

/**
 * An Emscripten that is new enough: its folder (the one with emcc.py in it), its version, and the
 * file that CMake wants. Looks at PATH, then $EMSDK, then the project's private one; null if there
 * is none.
 */
export function findEmscripten() {
  for (const folder of [onPath(), inEmsdk(), ...privateOnes()]) {
    const version = folder && versionIn(folder);
    if (version && !isOlder(version, oldestEmscripten)) return describe(folder, version);
  }
  return null;
}

/** findEmscripten(), and on Debian 12 (also without root) and 13 (root) makes one if need be. */
export async function ensureEmscripten() {
  const found = findEmscripten();
  if (found) return found;
  const release = debianCodename();
  if (release === 'bookworm') {
    const missing = missingPackages(['emscripten']).map(({ debian }) => debian);
    if (missing.length > 0 && !canInstall()) throw howToInstall(missing);
    if (missing.length > 0) {
      await timed(`Installing ${missing.join(', ')}`, () => aptInstall(missing));
    }
    await withLock(join(cacheFolder, 'emscripten.lock'), async () => {
      // Whoever held the lock may have made it.
      if (findEmscripten()) return;
      await timed('Making a private Emscripten (once per machine: about 250 MB to fetch)', () =>
        makePrivateEmscripten(cacheFolder),
      );
    });
  } else if (release !== null && canInstall()) {
    await timed('Installing Emscripten', () => aptInstall(['emscripten']));
  }
  const made = findEmscripten();
  if (made) return made;
  throw howToInstall([]);
}

/** What the environment of cmake and emcc needs besides: nothing but which Python to run. */
export function emscriptenEnvironment({ toolchainFile }) {
  const env = { ...process.env, EMSCRIPTEN_TOOLCHAIN_FILE: toolchainFile };
  // A Python version manager's shim costs a tenth of a second for every file compiled.
  if (!env.EMSDK_PYTHON && existsSync('/usr/bin/python3')) env.EMSDK_PYTHON = '/usr/bin/python3';
  const ccache = which('ccache');
  if (ccache) env.EM_COMPILER_WRAPPER ??= ccache;
  return env;
}

function describe(folder, version) {
  const toolchainFile = join(folder, 'cmake/Modules/Platform/Emscripten.cmake');
  return { folder, version, toolchainFile };
}

function onPath() {
  const emcc = which('emcc');
  return emcc && capture(join(dirname(emcc), 'em-config'), ['EMSCRIPTEN_ROOT']);
}

function inEmsdk() {
  return process.env.EMSDK ? join(process.env.EMSDK, 'upstream/emscripten') : null;
}

function privateOnes() {
  if (!existsSync(cacheFolder)) return [];
  return readdirSync(cacheFolder)
    .filter((name) => /^emscripten-[\d.]+$/.test(name))
    .sort((a, b) => (isOlder(a.slice(11), b.slice(11)) ? 1 : -1))
    .map((name) => join(cacheFolder, name, 'usr/share/emscripten'));
}

function versionIn(folder) {
  try {
    const text = readFileSync(join(folder, 'emscripten-version.txt'), 'utf8');
    return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? null;
  } catch {
    return null;
  }
}

function isOlder(version, than) {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number));
  const i = a.findIndex((part, at) => part !== b[at]);
  return i >= 0 && a[i] < b[i];
}

function howToInstall(debianPackages) {
  const wanted = `Emscripten ${oldestEmscripten} or newer is missing`;
  if (debianPackages.length > 0) {
    return new Failure(
      `${wanted}: run "sudo apt-get install ${debianPackages.join(' ')}" and try again (the rest is done here), or install emsdk and set EMSDK.`,
    );
  }
  return new Failure(
    `${wanted}: install it (emsdk, "brew install emscripten", or Debian 13's "apt-get install emscripten") so that emcc is on PATH or EMSDK is set.`,
  );
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { toolchainFile, version } = await ensureEmscripten();
    say(`Emscripten ${version}`);
    process.stdout.write(`${toolchainFile}\n`);
  });
}
