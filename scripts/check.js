// `npm run check`: format and types. Formatting is repaired by `npm run format`.
import { extname } from 'node:path';
import { tsc } from './bundle.js';
import { findClangFormat } from './packages.js';
import { ensure } from './setup.js';
import { filesIn } from './stamp.js';
import { attempt, Failure, isProgram, main, say } from './terminal.js';

/** C++ files under the formatter's care. Lists (*.inc) are tables, laid out by hand. */
export function cppFiles(paths = ['src', 'bindings', 'native-tests', 'examples']) {
  return paths.flatMap(filesIn).filter((path) => ['.h', '.cpp'].includes(extname(path)));
}

/** The checks, each { name, run } where run gives true when all is well. */
export const checks = [
  { name: 'format of JS, JSON, CSS, HTML', run: () => node(prettier, '--check', '.') },
  { name: 'format of C++', run: cppFormat },
  { name: 'types', run: () => node(tsc, '-p', 'tsconfig.json') },
];

/** Prettier's program, relative to the root. */
export const prettier = 'node_modules/prettier/bin/prettier.cjs';

// clang-format shows every place; which files is enough.
async function cppFormat() {
  const files = cppFiles();
  if (files.length === 0) return true;
  const options = ['--dry-run', '--Werror', ...files];
  const { status, output } = await attempt(findClangFormat(), options, { show: 'never' });
  const wrong = files.filter((path) => output.includes(`${path}:`));
  for (const path of wrong) say(`[format] ${path}`);
  if (status !== 0 && wrong.length === 0) say(output);
  return status === 0;
}

function node(...args) {
  return succeeds(process.execPath, args);
}

async function succeeds(command, args) {
  return (await attempt(command, args)).status === 0;
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    await ensure('npm', 'format');
    const failed = [];
    for (const { name, run } of checks) {
      const ok = await run();
      say(`${ok ? 'ok    ' : 'FAILED'} ${name}`);
      if (!ok) failed.push(name);
    }
    if (failed.length > 0) throw new Failure(`Not in order: ${failed.join(', ')}`);
  });
}
