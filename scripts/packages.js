// What the machine itself must provide, in groups, and how to see whether it is there.
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { capture, which } from './terminal.js';

const includeFolders = ['/usr/include', '/usr/local/include', '/opt/homebrew/include'];
const command = (...names) => which(...names) !== null;
const header = (path) => includeFolders.some((folder) => existsSync(`${folder}/${path}`));

/** Where the browsers of the browser tests are; a missing one is null. */
export function findBrowsers() {
  return {
    chrome: process.env.CHROME_PATH ?? which('chromium', 'google-chrome', 'chromium-browser'),
    firefox: process.env.FIREFOX_PATH ?? which('firefox-esr', 'firefox'),
  };
}

/** clang-format 19: other versions break lines elsewhere. Null when there is none. */
export function findClangFormat() {
  const named = which('clang-format-19');
  if (named) return named;
  const plain = which('clang-format');
  return plain && /version 19\./.test(capture(plain, ['--version']) ?? '') ? plain : null;
}

// Beside the compiler's own runtime, whose place only the compiler knows.
function hasLibFuzzer() {
  const builtins = capture('clang++-19', ['--rtlib=compiler-rt', '-print-libgcc-file-name']);
  const folder = dirname(builtins ?? '');
  const library = /^libclang_rt\.fuzzer(-\w+)?\.a$/;
  return existsSync(folder) && readdirSync(folder).some((name) => library.test(name));
}

/** Each entry: `name` for people, `debian` its Debian package, `isThere()`. */
export const packageGroups = {
  build: [
    { name: 'CMake', debian: 'cmake', isThere: () => command('cmake') },
    { name: 'Ninja', debian: 'ninja-build', isThere: () => command('ninja') },
    { name: 'a C++20 compiler', debian: 'g++', isThere: () => command('c++', 'g++', 'clang++') },
    { name: 'doctest', debian: 'doctest-dev', isThere: () => header('doctest/doctest.h') },
    { name: 'SIMDe', debian: 'libsimde-dev', isThere: () => header('simde/wasm/simd128.h') },
  ],
  // Emscripten itself: emscripten.js
  wasm: [
    { name: 'CMake', debian: 'cmake', isThere: () => command('cmake') },
    { name: 'Ninja', debian: 'ninja-build', isThere: () => command('ninja') },
    { name: 'Python 3', debian: 'python3', isThere: () => command('python3') },
  ],
  // What the private Emscripten for Debian 12 stands on: emscripten-debian.js
  emscripten: [
    { name: 'clang 19', debian: 'clang-19', isThere: () => command('clang-19') },
    { name: 'lld 19', debian: 'lld-19', isThere: () => command('wasm-ld-19') },
    { name: 'llvm 19', debian: 'llvm-19', isThere: () => command('llvm-ar-19') },
    { name: 'patchelf', debian: 'patchelf', isThere: () => command('patchelf') },
  ],
  browsers: [
    { name: 'Chromium', debian: 'chromium', isThere: () => findBrowsers().chrome !== null },
    { name: 'Firefox', debian: 'firefox-esr', isThere: () => findBrowsers().firefox !== null },
  ],
  format: [
    {
      name: 'clang-format 19',
      debian: 'clang-format-19',
      isThere: () => findClangFormat() !== null,
    },
  ],
  bench: [
    {
      name: 'Google Benchmark',
      debian: 'libbenchmark-dev',
      isThere: () => header('benchmark/benchmark.h'),
    },
  ],
  fuzz: [
    { name: 'clang 19', debian: 'clang-19', isThere: () => command('clang++-19') },
    { name: 'libFuzzer', debian: 'libclang-rt-19-dev', isThere: hasLibFuzzer },
  ],
};

/** The packages of these groups that are not there, each once. */
export function missingPackages(groups) {
  const missing = new Map();
  for (const group of groups) {
    for (const entry of packageGroups[group]) {
      if (!missing.has(entry.debian) && !entry.isThere()) missing.set(entry.debian, entry);
    }
  }
  return [...missing.values()];
}
