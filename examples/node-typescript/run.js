// node examples/node-typescript/run.js: the package's types under the strictest settings, both ways of finding them,
// then what was compiled.
import { tsc } from '../../scripts/bundle.js';
import { mustBeExpected } from '../support/expected.js';
import { withInstalled } from '../support/installed.js';

await withInstalled(import.meta.url, async ({ run }) => {
  const asBundlers = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'];
  await run(process.execPath, tsc, '-p', 'tsconfig.json', ...asBundlers);
  await run(process.execPath, tsc, '-p', 'tsconfig.json');
  mustBeExpected(await run(process.execPath, 'dist/main.js'));
});
