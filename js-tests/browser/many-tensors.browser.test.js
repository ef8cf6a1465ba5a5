// Files with very many tensors: they open in about the time that the package takes, and the chosen one is in the list.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hold } from '../support/budget.js';
import { engines, idle, openFiles, stateOf, textOf } from '../support/browser.js';
import { smallModel, writeSparseModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

const COUNT = 40_000;
const nameOf = (/** @type {number} */ i) => `blk.${i}.weight`;

for (const engine of engines) {
  describeInBrowser(`many tensors in ${engine}`, engine, (browser) => {
    before(async () => {
      const tensors = Array.from({ length: COUNT }, (_, i) => ({
        name: nameOf(i),
        encoding: /** @type {const} */ ('Q4_0'),
        ne: [64, 2],
      }));
      await writeSparseModel(join(browser.folder, 'many.gguf'), tensors);
      await writeFile(join(browser.folder, 'small.gguf'), smallModel());
    });

    browser.test('opening takes as long for each of 40,000 as for each of a few', async () => {
      const page = await browser.page();
      await openFiles(browser, page, 'many.gguf');
      const { source } = await stateOf(page);
      assert.equal(source.tensors.length, COUNT);
      hold('table of 40,000 tensors', source.millis, 'ms', 1000, 15_000);
    });

    browser.test('the chosen tensor is listed, wherever it is in the file', async () => {
      const hash = `#file=many.gguf&t=${nameOf(1234)}`;
      const page = await browser.page({ hash });
      await openFiles(browser, page, 'many.gguf');
      assert.equal((await stateOf(page)).tensor, nameOf(1234));
      assert.equal(await textOf(page, 'tensor-list [aria-current=true] .name'), nameOf(1234));
      assert.equal(await page.$$eval('tensor-list li', (all) => all.length), 401);
      assert.match(await textOf(page, 'tensor-list .count'), /first 400 and the chosen one/);
    });

    browser.test('what was typed to filter one file does not filter the next', async () => {
      const page = await browser.page({ hash: '#sample=mixed' });
      await page.focus('#filter');
      await page.keyboard.type('odd');
      await idle(page);
      assert.equal(await page.$$eval('tensor-list li', (all) => all.length), 1);
      await openFiles(browser, page, 'small.gguf');
      assert.equal(await page.$eval('#filter', (field) => field.value), '');
      assert.equal(await page.$$eval('tensor-list li', (all) => all.length), 4);
    });
  });
}
