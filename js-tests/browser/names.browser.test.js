// Names that run from right to left, or turn the direction of what follows, keep to themselves.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engines, idle, openFiles } from '../support/browser.js';
import { ggufFile } from '../support/gguf-writer.js';
import { describeInBrowser } from '../support/in-browser.js';

const names = ['משקל.weight', 'وزن أول.weight', 'gpj\u202Ethgiew'];

/** Runs in the page: sentences whose words do not stand in the sequence in which they were written. */
function turned(selector) {
  const wrong = [];
  for (const sentence of document.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(sentence, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (/[\u0590-\u08FF\u202E]/.test(node.data) && !node.parentElement.closest('bdi'))
        wrong.push(node.data);
    }
  }
  return wrong;
}

for (const engine of engines) {
  describeInBrowser(`names in ${engine}`, engine, (browser) => {
    browser.test('a name from right to left does not turn what is said of it', async () => {
      const tensors = names.map((name) => ({
        name,
        ne: [96, 4],
        ggmlType: 8,
        bytes: new Uint8Array(34 * 12).fill(1),
      }));
      const file = 'קובץ.gguf';
      await writeFile(join(browser.folder, file), ggufFile({}, tensors));
      const page = await browser.page();
      await openFiles(browser, page, file);
      for (const i of names.keys()) {
        await page.evaluate((at) => {
          document.querySelectorAll('tensor-list li button')[at].click();
          document.querySelector('#tab-compare').click();
        }, i);
        await page.waitForSelector('compare-pane');
        await idle(page);
        await page.evaluate(() =>
          document.querySelector('compare-pane').take([new File(['x'], 'שלום.bin')]),
        );
        await page.waitForFunction(() => globalThis.packedPage.store.state.comparison);
        await idle(page);
        const found = await page.evaluate(
          turned,
          '.status .now, .status li, compare-pane p, compare-pane h2',
        );
        assert.deepEqual(found, [], names[i]);
        assert.ok((await page.$$('compare-pane bdi')).length > 1);
      }
    });
  });
}
