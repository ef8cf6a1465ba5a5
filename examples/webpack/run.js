// node examples/webpack/run.js: `npm run build`, and what it makes in both browsers.
import { mustBeExpected } from '../support/expected.js';
import { inBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';

await withInstalled(import.meta.url, async ({ folder, run }) => {
  const output = await run('npm', 'run', 'build');
  if (/\bwarn/i.test(output)) throw new Error(`A user would be warned:\n${output}`);
  await inBrowsers(folder, mustBeExpected);
});
