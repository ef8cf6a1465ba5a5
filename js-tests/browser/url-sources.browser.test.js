// The published package in real browsers: a server that does what it should not is said to, in the same words as
// in Node, whatever the engine's own error is.
import assert from 'node:assert/strict';
import { engines } from '../support/browser.js';
import { createHash } from 'node:crypto';
import { smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';
import {
  cuts,
  cutting,
  honest,
  longModel,
  oddServers,
  serveBytes,
} from '../support/odd-servers.js';
import { servePackage } from '../support/package-server.js';

// What Firefox may notice itself, before the first byte has come, and then says in other words.
const inFirefox = {
  'breaks off before the first part':
    /broke off within bytes 0 to 1 \(.+\): try|cannot be fetched .*: is the address right/,
};

/** Runs in the page: what reading it comes to. */
async function open(url) {
  const { load } = await import('/dist/index.js');
  const pw = await load();
  try {
    const file = await pw.openGguf(url);
    const [{ offset, byteLength: length, name }] = file.tensors;
    const sum = await crypto.subtle.digest('SHA-256', await file.bytes(name));
    return { offset, length, sum: [...new Uint8Array(sum)] };
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
}

for (const engine of engines) {
  describeInBrowser(
    `URLs in ${engine}`,
    engine,
    (browser) => {
      /** How a page reads these bytes of servers that answer so. */
      const reader = async (bytes) => {
        const page = await browser.page({ open: false, expected: /./ });
        await page.goto(browser.site.url);
        return async (answer) => {
          const { url, close } = await serveBytes(bytes, answer);
          try {
            return { url, ...(await page.evaluate(open, url)) };
          } finally {
            await close();
          }
        };
      };

      const requireSame = ({ offset, length, sum, message }, bytes) => {
        assert.equal(message, undefined);
        const wanted = createHash('sha256').update(bytes.subarray(offset, offset + length));
        assert.deepEqual(sum, [...wanted.digest()]);
      };

      browser.test(
        'parts that are cut and come in the end are whole, others are an error',
        async () => {
          const bytes = longModel();
          const read = await reader(bytes);
          for (const [name, how] of Object.entries(cuts)) {
            requireSame(await read(cutting(how, 3)), bytes);
            const { code, message } = await read(cutting(how, 9));
            assert.equal(code, 'IO_FAILED', name);
            assert.match(message, /(broke off|cannot be fetched).* \(.+\): /, name);
          }
        },
      );

      browser.test('honest and odd servers', async () => {
        const bytes = smallModel();
        const read = await reader(bytes);
        requireSame(await read(honest), bytes);
        for (const [name, [answer, said]] of Object.entries(oddServers(bytes))) {
          const { url, message, ...error } = await read(answer);
          assert.deepEqual(
            error,
            { name: 'PackedError', code: 'IO_FAILED' },
            `${name}: ${message}`,
          );
          assert.ok(message.startsWith(url), message);
          assert.match(message, (engine === 'firefox' && inFirefox[name]) || said);
        }
      });
    },
    { serve: servePackage },
  );
}
