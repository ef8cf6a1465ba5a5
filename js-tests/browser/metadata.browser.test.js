// What a file says of itself: all of it when the file is open, what has come of it before.
import { before } from 'node:test';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idle, textOf } from '../support/browser.js';
import { smallModel } from '../support/gguf-files.js';
import { ggufFile } from '../support/gguf-writer.js';
import { describeInBrowser } from '../support/in-browser.js';

describeInBrowser('metadata', 'chrome', (browser) => {
  before(async () => {
    await writeFile(join(browser.folder, 'small.gguf'), smallModel());
  });

  async function open(page, name) {
    await (await page.$('#file')).uploadFile(join(browser.folder, name));
    await page.waitForFunction(
      (n) => globalThis.packedPage.store.state.source?.name === n,
      {},
      name,
    );
    await idle(page);
  }

  browser.test('what a file says of itself is listed', async () => {
    const page = await browser.page();
    await open(page, 'small.gguf');
    assert.equal(await textOf(page, '.metadata summary'), 'Metadata (2)');
    assert.match(await textOf(page, '.metadata dl'), /general\.architecture test general\.quant/);
    await page.setViewport({ width: 360, height: 640 });
    await page.click('.metadata summary');
    const widths = await page.$$eval('.metadata dd', (all) => all.map((each) => each.clientWidth));
    assert.equal(widths.length, 2);
    assert.ok(Math.min(...widths) > 200, `values are ${widths} px wide`);
  });

  browser.test('metadata of a long header is shown as it arrives', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => [`text.${i}`, String(i).repeat(200_000)]);
    const bytes = ggufFile({ 'general.architecture': 'test', ...Object.fromEntries(texts) }, [
      { name: 'a.weight', ne: [96, 2], ggmlType: 8, bytes: new Uint8Array(34 * 6) },
    ]);
    await writeFile(join(browser.folder, 'talking.gguf'), bytes);
    const page = await browser.page();
    await page.evaluate(() => {
      globalThis.heard = [];
      const look = () => {
        const list = document.querySelector('progress-line .metadata');
        if (list) globalThis.heard.push(list.textContent.replace(/\s+/g, ' ').slice(0, 120));
      };
      new MutationObserver(look).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    await open(page, 'talking.gguf');
    const heard = await page.evaluate(() => globalThis.heard);
    const counts = heard.map((text) => {
      assert.match(text, /Metadata of talking\.gguf so far \(\d+\) general\.architecture test/);
      return Number(text.match(/\((\d+)\)/)[1]);
    });
    assert.ok(counts.length > 0);
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => a - b),
    );
    assert.ok(counts[0] < 41 && counts.at(-1) <= 41);
    assert.equal(await textOf(page, '.metadata summary'), 'Metadata (41)');
    assert.equal(await page.$('progress-line'), null);
  });

  browser.test('a long list of metadata is cut, and the true count said', async () => {
    const keys = Array.from({ length: 1200 }, (_, i) => [`key.${i}`, i]);
    const bytes = ggufFile({ 'general.architecture': 'test', ...Object.fromEntries(keys) }, [
      { name: 'a.weight', ne: [96, 2], ggmlType: 8, bytes: new Uint8Array(34 * 6) },
    ]);
    await writeFile(join(browser.folder, 'wordy.gguf'), bytes);
    const page = await browser.page();
    await open(page, 'wordy.gguf');
    assert.equal(await textOf(page, '.metadata summary'), 'Metadata (first 500 of 1,201)');
    assert.equal(await page.$$eval('.metadata dt', (all) => all.length), 500);
  });
});
