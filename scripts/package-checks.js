// Is the package, as it would be published, one that users' tools understand? Run after the build.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, attempt, run, say } from './terminal.js';
import { wasmFiles } from './wasm.js';

/** Each { name, run } where run gives true when all is well. */
export const packageChecks = [
  { name: 'what is packed', run: packsWhatItNames },
  { name: 'publint', run: publintPasses },
  { name: 'are the types wrong', run: typesResolve },
];

// dist/ with the page, and what npm adds of itself; every file that package.json names.
async function packsWhatItNames() {
  const options = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const output = await run('npm', options, { show: 'never' });
  const [{ files }] = JSON.parse(output.slice(output.indexOf('[')));
  const packed = files.map(({ path }) => path);
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? entry : Object.values(entry),
  );
  const wanted = [...named, ...Object.values(bin), 'dist/web/index.html', 'LICENSE', 'README.md'];
  const missing = wanted.filter((path) => !packed.includes(path.replace('./', '')));
  const strange = packed.filter(
    (path) => !/^(dist\/|bindings\/js\/API\.md$|[A-Z]+(\.md)?$|package\.json$)/.test(path),
  );
  for (const path of missing) say(`  not packed: ${path}`);
  for (const path of strange) say(`  packed, but not for users: ${path}`);
  return missing.length === 0 && strange.length === 0;
}

async function publintPasses() {
  const { publint } = await import('publint');
  const { formatMessage } = await import('publint/utils');
  const { messages, pkg } = await publint({ pkgDir: root, level: 'warning', strict: true });
  for (const message of messages) say(`  ${formatMessage(message, pkg)}`);
  return messages.length === 0;
}

// ES modules only, hence the profile; a .wasm has no types.
async function typesResolve() {
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const options = ['--profile', 'esm-only', '--exclude-entrypoints', ...wasmFiles];
  const { status } = await attempt(process.execPath, [attw, '--pack', '.', ...options]);
  return status === 0;
}
