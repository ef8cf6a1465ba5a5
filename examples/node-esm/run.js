// node examples/node-esm/run.js: main.js with the package as npm installs it.
import { mustBeExpected } from '../support/expected.js';
import { withInstalled } from '../support/installed.js';

await withInstalled(import.meta.url, async ({ run }) => {
  mustBeExpected(await run(process.execPath, 'main.js'));
});
