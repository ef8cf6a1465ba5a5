// Is the package, as it would be published, one that users' tools understand? Run after the build.
import { join } from 'node:path';
import { root, attempt, say } from './terminal.js';
import { wasmFiles } from './wasm.js';

/** Each { name, run } where run gives true when all is well. */
export const packageChecks = [
  { name: 'publint', run: publintPasses },
  { name: 'are the types wrong', run: typesResolve },
];

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
