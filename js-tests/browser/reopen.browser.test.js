// Files that come by other ways than the input: pasted, and chosen in the browser's own dialog, which lets a
// reload ask for the same file again.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { idle, stateOf } from '../support/browser.js';
import { smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

const model = Buffer.from(smallModel()).toString('base64');

describeInBrowser('opening again', 'chrome', (browser) => {
  browser.test('a pasted file opens', async () => {
    const page = await browser.page();
    await page.evaluate((base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'pasted.gguf'));
      dispatchEvent(new ClipboardEvent('paste', { clipboardData }));
    }, model);
    await page.waitForFunction(
      () => globalThis.packedPage.store.state.source?.name === 'pasted.gguf',
    );
    await idle(page);
  });

  browser.test('what was chosen is offered after a reload, and restores the view', async () => {
    const page = await browser.page({ open: false });
    // The dialog is the browser's own, so a file of the page's private file system stands for the choice.
    await page.evaluateOnNewDocument((base64) => {
      globalThis.showOpenFilePicker = async () => {
        const root = await navigator.storage.getDirectory();
        const handle = await root.getFileHandle('chosen.gguf', { create: true });
        const writing = await handle.createWritable();
        await writing.write(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
        await writing.close();
        return [handle];
      };
    }, model);
    await page.goto(browser.site.url);
    await idle(page);
    await page.evaluate(() =>
      [...document.querySelectorAll('button')].find((b) => b.textContent === 'Open…').click(),
    );
    const opened = () => globalThis.packedPage.store.state.source?.name === 'chosen.gguf';
    await page.waitForFunction(opened);
    await idle(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => location.hash.includes('b=1'));
    const before = await stateOf(page);

    await page.reload();
    await idle(page);
    const offered = await stateOf(page);
    assert.deepEqual(offered.reopen, ['chosen.gguf']);
    assert.match(offered.status.map(({ text }) => text).join('\n'), /again to restore this view/);
    await page.click('#reopen');
    await page.waitForFunction(opened);
    await idle(page);
    const { tensor, o, b, reopen } = await stateOf(page);
    assert.deepEqual([tensor, o, b, reopen], [before.tensor, before.o, 1, null]);
  });
});
