// A block that cannot be read: the page says so in its place, never shows or hands out another, and reads it again.
import assert from 'node:assert/strict';
import { chooseAndPress, engines, idle, stateOf, textOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';
import { failingReads } from '../support/in-worker.js';
import { servePage } from '../support/server.js';

const views = async (page) => [await textOf(page, 'byte-view'), await textOf(page, 'value-view')];

async function toBlock(page, o) {
  await page.evaluate((to) => globalThis.packedPage.store.set({ o: to, b: 0 }), o);
  await idle(page);
}

for (const engine of engines) {
  describeInBrowser(
    `unread blocks in ${engine}`,
    engine,
    (browser) => {
      browser.test('what is shown, copied and exported is never another block', async () => {
        const page = await browser.page({ hash: '#sample=million&o=0&b=0' });
        const { block: before } = await stateOf(page);
        assert.equal(before.o, 0);
        await page.evaluate(() => {
          globalThis.taken = [];
          navigator.clipboard.writeText = async (text) => void globalThis.taken.push(text);
          HTMLAnchorElement.prototype.click = function () {
            globalThis.taken.push(this.download);
          };
        });
        await toBlock(page, 700);
        const shown = await views(page);
        for (const text of shown)
          assert.match(text, /Block \(700, 0\) cannot be read: .*lost\..* try again/);
        const { block, status } = await stateOf(page);
        assert.equal(block, null);
        assert.equal(status.at(-1).tone, 'error');
        await chooseAndPress(page, '#export', 'block');
        await chooseAndPress(page, '#copy-as', 'hex');
        await idle(page);
        assert.deepEqual(await page.evaluate(() => globalThis.taken), []);

        // The next block lies in the same window of the file, which has to be read again for it.
        await toBlock(page, 701);
        assert.equal((await stateOf(page)).block.o, 701);
        for (const text of await views(page)) assert.doesNotMatch(text, /cannot be read/);
        await chooseAndPress(page, '#export', 'block');
        await page.waitForFunction(() => globalThis.taken.length > 0);
        assert.match(await page.evaluate(() => globalThis.taken[0]), /block-701-0\.json$/);
        await toBlock(page, 700);
        assert.equal((await stateOf(page)).block.o, 700, 'read with its window');
      });
    },
    { serve: () => servePage({ inWorker: failingReads(/^block .*"o":700,/) }) },
  );
}
