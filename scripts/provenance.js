// Where a build comes from, for `pw.build`: the package's version, the commit, compiler and flags. The same
// sources built by the same compiler give the same text, in a checkout or out of a tarball.
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { capture, root } from './terminal.js';

/** { version, commit, compiler, flags: { simd128, relaxed } }, once the wasm is built. */
export function provenance() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  return { version: read('package.json').version, commit: commitOf(root), ...read(toolchainFile) };
}

/** Written with the wasm, relative to the root: what compiled it. */
export const toolchainFile = 'build/core/toolchain.json';

/** { compiler, flags } of a wasm build in `folder`, flags by the name of the module: { simd128, relaxed }. */
export function toolchain(emscripten, folder, variants) {
  const flags = Object.fromEntries(variants.map((variant) => [variant, flagsOf(folder, variant)]));
  return { compiler: compilerOf(emscripten, folder), flags };
}

/**
 * The commit that a folder is a checkout of, with "-dirty" when something was changed since. Null without git: in a
 * tarball, also in one that was unpacked inside of somebody else's repository.
 */
export function commitOf(folder) {
  const top = capture('git', ['rev-parse', '--show-toplevel'], { cwd: folder });
  if (!top || realpathSync(top) !== realpathSync(folder)) return null;
  const options = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  return capture('git', options, { cwd: folder });
}

// Of the matmul kernels, which are what flags matter to. Without warnings, and without what names places.
function flagsOf(folder, variant) {
  const commands = JSON.parse(readFileSync(join(folder, 'compile_commands.json'), 'utf8'));
  const object = `kernels_${variant}.dir/src/kernels/matmul/simd128.cpp.o`;
  const { command } = commands.find(({ command }) => command.includes(object));
  const options = command.split(' ').slice(1);
  return options.filter((word) => /^-(?!W|I|isystem|o$|c$)/.test(word)).join(' ');
}

function compilerOf(emscripten, folder) {
  const files = join(folder, 'CMakeFiles');
  const [version] = readdirSync(files).filter((name) => /^\d/.test(name));
  const text = readFileSync(join(files, version, 'CMakeCXXCompiler.cmake'), 'utf8');
  const clang = /CMAKE_CXX_COMPILER_VERSION "([\d.]+)"/.exec(text)?.[1] ?? 'of unknown version';
  return `Emscripten ${emscripten.version}, clang ${clang}`;
}
