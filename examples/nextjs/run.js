// node examples/nextjs/run.js: `npm run build`, `npm start`, and the page in both browsers: what the server computed
// and what the browser did.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { mustBeExpected } from '../support/expected.js';
import { visitInBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';

process.env.NEXT_TELEMETRY_DISABLED = '1';

await withInstalled(import.meta.url, async ({ folder, run }) => {
  await run('npm', 'run', 'build');
  const next = join(folder, 'node_modules/next/dist/bin/next');
  const options = ['start', '--port', '0', '--hostname', '127.0.0.1'];
  const server = spawn(process.execPath, [next, ...options], { cwd: folder });
  try {
    await visitInBrowsers(await addressOf(server), async (said, page) => {
      mustBeExpected(said);
      mustBeExpected(await page.evaluate(() => document.querySelector('#server').textContent));
    });
  } finally {
    server.kill();
  }
});

/** What it says when it listens. */
function addressOf(server) {
  return new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (address) resolve(address);
      });
    }
    server.on('exit', (status) => reject(new Error(`next start ended with ${status}: ${said}`)));
  });
}
