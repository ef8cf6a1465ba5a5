// What is dropped and pasted: a file opens or is compared, by where it falls; anything else is told what it is.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idle, stateOf, textOf } from '../support/browser.js';
import { smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

/** A real drop, which only Chromium can be given. */
async function drop(page, { files = [], items = [] }, selector = '.brand', steps = 3) {
  const client = await page.createCDPSession();
  const at = await page.$eval(selector, (element) => {
    element.scrollIntoView({ block: 'center' });
    const { x, y } = element.getBoundingClientRect();
    return { x: x + 8, y: y + 8 };
  });
  const data = { items, files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'].slice(0, steps)) {
    await client.send('Input.dispatchDragEvent', { type, ...at, data });
  }
  await client.detach();
}

const saying = (page, says) =>
  page.waitForFunction(
    (text) => new RegExp(text).test(globalThis.packedPage.store.state.status.at(-1).text),
    {},
    says.source,
  );

describeInBrowser('drops', 'chrome', (browser) => {
  async function small() {
    const path = join(browser.folder, 'small.gguf');
    await writeFile(path, smallModel());
    return path;
  }

  browser.test(
    'a folder, a text and a link are no files: each is told so, the page stays',
    async () => {
      const page = await browser.page();
      const address = page.url();
      const folder = join(browser.folder, 'model');
      await mkdir(folder);
      await drop(page, { files: [folder] });
      await saying(page, /^model is a folder: drop the files in it/);
      for (const mimeType of ['text/plain', 'text/uri-list']) {
        await page.evaluate(() => globalThis.packedPage.store.set({ status: [{ text: 'none' }] }));
        await drop(page, { items: [{ mimeType, data: 'https://example.com/model.gguf' }] });
        await saying(page, /^That is text, not a file/);
      }
      await page.evaluate(() => globalThis.packedPage.store.set({ status: [{ text: 'none' }] }));
      const paste = (selector) =>
        page.$eval(selector, (target) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', '00 1f 7c');
          target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
        });
      await paste('#filter');
      assert.equal((await stateOf(page)).status.at(-1).text, 'none', 'text belongs in a field');
      await paste('body');
      await saying(page, /^That is text, not a file/);
      await idle(page);
      const { source, dragging } = await stateOf(page);
      assert.deepEqual([page.url(), source.sample, dragging], [address, 'mixed', false]);
    },
  );

  browser.test(
    'in Compare a file is held against the weight below the tabs, and opened elsewhere',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=odd.weight&v=compare' });
      const path = join(browser.folder, 'bytes.bin');
      await writeFile(path, new Uint8Array(33 * 3 * 18));
      for (const place of ['canvas', 'compare-pane .tools', 'block-inspector h2']) {
        await page.evaluate(() => globalThis.packedPage.store.set({ comparison: null }));
        await drop(page, { files: [path] }, place, 2);
        await idle(page);
        assert.match(
          await textOf(page, '.drop-here'),
          /below the tabs .*odd\.weight.* else to open/,
        );
        await drop(page, { files: [path] }, place);
        await page.waitForFunction(() => globalThis.packedPage.store.state.comparison);
        await idle(page);
        assert.equal((await stateOf(page)).comparison.name, 'bytes.bin', place);
      }
      await drop(page, { files: [await small()] }, '#filter');
      await page.waitForFunction(
        () => globalThis.packedPage.store.state.source.name === 'small.gguf',
      );
      await idle(page);
    },
  );

  browser.test('what was dropped last is what a reload offers, or nothing', async () => {
    const page = await browser.page();
    await drop(page, { files: [await small()] });
    await page.waitForFunction(
      () => globalThis.packedPage.store.state.source.name === 'small.gguf',
    );
    await remembers(page, ['small.gguf']);
    await page.reload();
    await idle(page);
    assert.deepEqual((await stateOf(page)).reopen, ['small.gguf']);
    await page.evaluate((base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'pasted.gguf'));
      dispatchEvent(new ClipboardEvent('paste', { clipboardData }));
    }, Buffer.from(smallModel()).toString('base64'));
    await page.waitForFunction(
      () => globalThis.packedPage.store.state.source.name === 'pasted.gguf',
    );
    await remembers(page, []);
    await page.reload();
    await idle(page);
    const { reopen, status } = await stateOf(page);
    assert.equal(reopen, null);
    assert.match(status.at(-1).text, /^Drop the file again/);
  });
});

/** Waits until these are what the page would ask for again: it writes them down while it opens them. */
async function remembers(page, names) {
  await idle(page);
  await page.waitForFunction(
    async (wanted) => {
      const settled = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      // One that is not there yet must not be made.
      const all = await indexedDB.databases();
      if (!all.some(({ name }) => name === 'packed-weights')) return false;
      const database = await settled(indexedDB.open('packed-weights'));
      try {
        const kept = database.transaction('chosen').objectStore('chosen').get('chosen');
        return JSON.stringify((await settled(kept))?.map(({ name }) => name)) === wanted;
      } finally {
        database.close();
      }
    },
    {},
    JSON.stringify(names),
  );
}
