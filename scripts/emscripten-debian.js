// A private Emscripten for Debian 12, whose own is too old. Two packages come from Debian 13,
// emscripten (independent of the processor) and binaryen, and the C and C++ libraries that binaryen
// runs on. They are unpacked into a folder of their own; nothing of the system changes. clang 19,
// which Debian 12 has, does the compiling.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { libraryTriplet, withoutAddresses } from './debian.js';
import { attempt, capture, Failure, root, run } from './terminal.js';

const packages = ['emscripten', 'binaryen', 'libc6', 'libstdc++6', 'libgcc-s1'];

// Two thirds of the package that this project never links: libraries for dynamic linking.
const unpackedWithout = ['pic', 'lto-pic'].map((kind) => `--exclude=*/wasm32-emscripten/${kind}`);

/**
 * Makes cacheFolder/emscripten-VERSION. It is put together under another name and renamed when it
 * is whole, so an interrupted run leaves nothing that looks finished. One caller at a time.
 */
export async function makePrivateEmscripten(cacheFolder) {
  mkdirSync(cacheFolder, { recursive: true });
  removeLeftovers(cacheFolder);
  const work = mkdtempSync(join(cacheFolder, 'unfinished-'));
  try {
    await download(work);
    const version = versionOf(work);
    const prefix = join(cacheFolder, `emscripten-${version}`);
    const made = join(work, 'prefix');
    await unpack(work, made);
    await runOnOwnLibraries(made, prefix);
    configure(made, prefix);
    rmSync(prefix, { recursive: true, force: true });
    renameSync(made, prefix);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// Whoever made them is gone.
function removeLeftovers(cacheFolder) {
  for (const name of readdirSync(cacheFolder)) {
    if (!name.startsWith('unfinished-')) continue;
    rmSync(join(cacheFolder, name), { recursive: true, force: true });
  }
}

// An apt of its own: Debian 13 from the mirror that this machine uses anyway, known to no other apt.
async function download(work) {
  const mirror = capture('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
    'Component: main',
    'Codename: bookworm',
  ])?.split('\n')[0];
  if (!mirror) {
    throw new Failure(
      'No Debian mirror is known here: run "apt-get update" with one in /etc/apt/sources.list, or install emsdk and set EMSDK.',
    );
  }
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  const sources = join(work, 'sources.list');
  writeFileSync(sources, `deb [signed-by=${keyring}] ${mirror} trixie main\n`);
  mkdirSync(join(work, 'lists/partial'), { recursive: true });
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${join(work, 'lists')}`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  for (const command of [['update'], ['download', ...packages]]) {
    const { status, output } = await attempt('apt-get', ['-q', ...options, ...command], {
      cwd: work,
      show: 'never',
    });
    if (status === 0) continue;
    process.stdout.write(withoutAddresses(output));
    throw new Failure('Debian 13 packages could not be fetched; messages are above.');
  }
}

function debOf(work, name) {
  return join(
    work,
    readdirSync(work).find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb')),
  );
}

function versionOf(work) {
  const version = capture('dpkg-deb', ['--field', debOf(work, 'emscripten'), 'Version']);
  return /^\d+\.\d+\.\d+/.exec(version)[0];
}

async function unpack(work, made) {
  mkdirSync(made);
  for (const name of packages) {
    const script =
      'set -o pipefail; deb=$1; to=$2; shift 2; dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$to" "$@"';
    await run('bash', ['-c', script, 'unpack', debOf(work, name), made, ...unpackedWithout]);
  }
}

// binaryen's programs are linked for a newer libc than the system's: point them at the unpacked one.
async function runOnOwnLibraries(made, prefix) {
  const triplet = libraryTriplet();
  if (!triplet) throw new Failure(`No private Emscripten for ${process.arch}: set EMSDK.`);
  const loader = {
    'x86_64-linux-gnu': 'ld-linux-x86-64.so.2',
    'aarch64-linux-gnu': 'ld-linux-aarch64.so.1',
  }[triplet];
  const libraries = join(prefix, 'usr/lib', triplet);
  const programs = readdirSync(join(made, 'usr/bin')).filter((name) => /^wasm(-|2)/.test(name));
  for (const name of programs) {
    const program = join(made, 'usr/bin', name);
    const options = ['--set-interpreter', join(libraries, loader), '--set-rpath', libraries];
    await run('patchelf', [...options, program]);
  }
}

function configure(made, prefix) {
  const emscripten = join(made, 'usr/share/emscripten');
  const path = join(emscripten, '.emscripten');
  const own = readFileSync(path, 'utf8');
  const settings = [
    "LLVM_ROOT = '/usr/bin'",
    `BINARYEN_ROOT = '${join(prefix, 'usr')}'`,
    // Whichever Node is in use; the one of today may have moved tomorrow.
    'import shutil',
    `NODE_JS = shutil.which('node') or '${process.execPath}'`,
    "LLVM_ADD_VERSION = '19'",
    "CLANG_ADD_VERSION = '19'",
  ];
  // Later lines win: this is Python.
  writeFileSync(path, `${own}\n${settings.join('\n')}\n`);
  // Emscripten's optimizer of JavaScript parses with acorn; Debian has it in another package.
  cpSync(join(root, 'node_modules/acorn'), join(emscripten, 'node_modules/acorn'), {
    recursive: true,
    dereference: true,
  });
}
