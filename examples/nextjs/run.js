// node examples/nextjs/run.js: `npm run build`, `npm start`, and the page in both browsers: what the server computed
// and what the browser did.
import { mustBeExpected } from '../support/expected.js';
import { visitInBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';
import { withServer } from '../support/server.js';

process.env.NEXT_TELEMETRY_DISABLED = '1';

await withInstalled(import.meta.url, async ({ folder, run }) => {
  await run('npm', 'run', 'build');
  const next = 'node_modules/next/dist/bin/next';
  const start = [next, 'start', '--port', '0', '--hostname', '127.0.0.1'];
  await withServer(folder, start, (url) =>
    visitInBrowsers(url, async (said, page) => {
      mustBeExpected(said);
      mustBeExpected(await page.evaluate(() => document.querySelector('#server').textContent));
    }),
  );
});
