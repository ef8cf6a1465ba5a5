// What is said of a file and of a block, whatever they hold.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'packed-weights';
import { idle, openFiles, textOf } from '../support/browser.js';
import { smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

describeInBrowser('what is shown', 'chrome', (browser) => {
  browser.test(
    'no two kinds of the file strip have one colour, however many there are',
    async () => {
      const page = await browser.page();
      await page.evaluate(() => {
        const { store } = globalThis.packedPage;
        const [first] = store.state.source.tensors;
        const tensors = Array.from({ length: 11 }, (_, i) => ({
          ...first,
          name: `t${i}`,
          encoding: `E${i}`,
          byteLength: 20_000 - 1000 * i,
          offset: 1000 * i,
        }));
        store.set({ source: { ...store.state.source, tensors } });
      });
      await idle(page);
      const legend = await page.$$eval('.legend span', (all) =>
        all.map((each) => [
          getComputedStyle(each.querySelector('i')).backgroundColor,
          each.textContent,
        ]),
      );
      assert.equal(new Set(legend.map(([colour]) => colour)).size, legend.length);
      const told = legend.map(([, text]) => text).join(' ');
      for (let i = 0; i < 11; i++) assert.match(told, new RegExp(`\\bE${i}\\b`));
    },
  );

  browser.test('the chosen tensor is seen in the list, wherever it was chosen', async () => {
    const page = await browser.page({ hash: '#sample=mixed&t=blk.0.norm.weight' });
    const seen = await page.$eval('tensor-list [aria-current=true]', (chosen) => {
      const [inner, outer] = [chosen, chosen.closest('ul')].map((e) => e.getBoundingClientRect());
      return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
    });
    assert.ok(seen);
    assert.equal(await page.evaluate(() => scrollY), 0);
  });

  browser.test('values that are not finite are called so, in every place', async () => {
    const page = await browser.page();
    const bytes = smallModel();
    const pw = await load();
    const { offset } = (await pw.openGguf(bytes)).tensor('tall.weight');
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < 37 * 3; i++) view.setUint16(offset + 18 * i, 0x7e00, true);
    await writeFile(join(browser.folder, 'nan.gguf'), bytes);
    await openFiles(browser, page, 'nan.gguf');
    const values = await textOf(page, 'value-view');
    assert.match(values, /not finite 32/);
    assert.doesNotMatch(values, /min|σ/);
    await page.waitForFunction(() =>
      /scale NaN/.test(document.querySelector('#where').textContent),
    );
    await page.evaluate(() => document.querySelector('#tab-wrong').click());
    await page.waitForFunction(() => globalThis.packedPage.store.state.wrong);
    await idle(page);
    assert.match(await textOf(page, '#wrong-facts'), /cannot be told: .*not finite finite no/);
  });

  browser.test('a long file name takes no more room than another, and can be read', async () => {
    const page = await browser.page();
    const height = () =>
      page.$eval('header-bar header', (bar) => bar.getBoundingClientRect().height);
    const before = await height();
    const name = `${'a-long-name-'.repeat(18)}.gguf`;
    await writeFile(join(browser.folder, name), smallModel());
    await openFiles(browser, page, name);
    for (const width of [1280, 360]) {
      await page.setViewport({ width, height: 860 });
      await idle(page);
      const [title, wide] = await page.$eval('.bar .grow b', (b) => [b.title, b.offsetWidth]);
      assert.equal(title, name);
      assert.ok(wide < width, `${wide} of ${width} px`);
      if (width === 1280) assert.equal(await height(), before);
    }
  });

  browser.test(
    'no line begins with what separates it from the one before, at any width',
    async () => {
      const page = await browser.page();
      for (const name of ['m.gguf', 'sample-mixed.gguf', `${'long-'.repeat(30)}.gguf`]) {
        await page.evaluate((called) => {
          const { store } = globalThis.packedPage;
          store.set({ source: { ...store.state.source, name: called } });
        }, name);
        for (let width = 320; width <= 1440; width += width < 700 ? 20 : 110) {
          await page.setViewport({ width, height: 860 });
          await idle(page);
          const { dots, shown, ahead } = await page.evaluate(separators);
          assert.ok(dots > 2, `${dots} at ${width} px`);
          assert.deepEqual(ahead, [], `${width} px, ${name.length} letters`);
          if (width === 1440) assert.ok(shown > 1, 'on one line they are seen');
        }
      }
    },
  );
});

/** Runs in the page: how many dots there are, how many of those in front of a part are seen, and what begins a line. */
function separators() {
  const ahead = [];
  let [dots, shown] = [0, 0];
  for (const line of document.querySelectorAll('.dotted')) {
    const edge = line.parentElement.getBoundingClientRect().left;
    let top = -1;
    for (const part of line.children) {
      const { left, bottom } = part.getBoundingClientRect();
      const width = parseFloat(getComputedStyle(part, '::before').width);
      const begins = bottom > top + 2;
      const [seen, whole] = [left + width > edge + 0.5, left >= edge - 0.5];
      ++dots;
      if (begins ? seen : !whole) ahead.push(`${part.textContent} at ${left} of ${edge}`);
      else if (!begins) ++shown;
      top = bottom;
    }
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const rectOf = (node, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getClientRects()[0];
  };
  let before;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    for (let at = 0; at < node.data.length; ++at) {
      if (!node.data[at].trim()) continue;
      const rect = rectOf(node, at);
      if (!rect?.width) continue;
      if (node.data[at] === '·') {
        ++dots;
        if (!(before?.bottom > rect.top && before.left < rect.left)) ahead.push(node.data);
      }
      before = rect;
    }
  }
  return { dots, shown, ahead };
}
