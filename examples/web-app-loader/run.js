// node examples/web-app-loader/run.js: the loader's test, as the app's CI runs it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const { status } = spawnSync(process.execPath, ['--test', join(folder, 'loader.test.js')], {
  stdio: 'inherit',
  env: { ...process.env, NODE_TEST_CONTEXT: undefined },
});
process.exitCode = status ?? 1;
