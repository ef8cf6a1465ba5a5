// The published package in real browsers: a server that does what it should not is said to, in the same words as
// in Node, whatever the engine's own error is.
import assert from 'node:assert/strict';
import { engines } from '../support/browser.js';
import { smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';
import { honest, oddServers, serveBytes } from '../support/odd-servers.js';
import { servePackage } from '../support/package-server.js';

// What an engine notices itself, and says in other words.
const sooner = {
  chrome: { 'gives more bytes than asked for': /broke off within bytes 0 to 0 .*: try again/ },
  firefox: { 'breaks off before the first part': /cannot be fetched .*: is the address right/ },
};

/** Runs in the page: what reading it comes to. */
async function open(url) {
  const { load } = await import('/dist/index.js');
  const pw = await load();
  try {
    const file = await pw.openGguf(url);
    return { bytes: (await file.bytes('wide.weight')).length };
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
}

for (const engine of engines) {
  describeInBrowser(
    `URLs in ${engine}`,
    engine,
    (browser) => {
      browser.test('honest and odd servers', async () => {
        const bytes = smallModel();
        const page = await browser.page({ open: false, expected: /./ });
        await page.goto(browser.site.url);
        const read = async (answer) => {
          const { url, close } = await serveBytes(bytes, answer);
          try {
            return { url, ...(await page.evaluate(open, url)) };
          } finally {
            await close();
          }
        };
        assert.ok((await read(honest)).bytes > 0);
        for (const [name, [answer, said]] of Object.entries(oddServers(bytes))) {
          const { url, message, ...error } = await read(answer);
          assert.deepEqual(
            error,
            { name: 'PackedError', code: 'IO_FAILED' },
            `${name}: ${message}`,
          );
          assert.ok(message.startsWith(url), message);
          assert.match(message, sooner[engine][name] ?? said);
        }
      });
    },
    { serve: servePackage },
  );
}
