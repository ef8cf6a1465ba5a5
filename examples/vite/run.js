// node examples/vite/run.js: the page as `npm run dev` serves it, and as `npm run build` makes it.
import { join } from 'node:path';
import { mustBeExpected } from '../support/expected.js';
import { inBrowsers, visitInBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';
import { withServer } from '../support/server.js';

await withInstalled(import.meta.url, async ({ folder, run }) => {
  const dev = ['node_modules/vite/bin/vite.js', '--port', '0', '--host', '127.0.0.1'];
  await withServer(folder, dev, (url) => visitInBrowsers(url, mustBeExpected));

  const output = await run('npm', 'run', 'build');
  if (/\bwarn/i.test(output)) throw new Error(`A user would be warned:\n${output}`);
  await inBrowsers(join(folder, 'dist'), mustBeExpected);
});
