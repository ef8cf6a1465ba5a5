// Keys belong to what shows their effect: to the block where it is seen, to the browser everywhere else.
import assert from 'node:assert/strict';
import { engines, idle, stateOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';

async function toTab(page, tab) {
  await page.evaluate((id) => document.querySelector(`#tab-${id}`).click(), tab);
  await page.evaluate(() => document.activeElement.blur());
  await idle(page);
}

const placeOf = async (page) => {
  const { o, b, pin, cameras, table } = await stateOf(page);
  return { o, b, pin, cameras, table };
};

for (const engine of engines) {
  describeInBrowser(`keys in ${engine}`, engine, (browser) => {
    browser.test('where no block is seen, no key moves one, and the page scrolls', async () => {
      const page = await browser.page({
        height: 200,
        hash: '#sample=mixed&t=rings.weight&o=5&b=6',
      });
      const before = await placeOf(page);
      for (const tab of ['report', 'trace', 'bench']) {
        await toTab(page, tab);
        for (const key of ['ArrowRight', 'ArrowDown', 'End', 'Enter', '+', 'g', 'n']) {
          await page.keyboard.press(key);
        }
        await idle(page);
        assert.deepEqual(await placeOf(page), before, tab);
        await page.evaluate(() => scrollTo(0, 0));
        await page.keyboard.press('PageDown');
        const over = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
        assert.ok(over > 20, `${tab}: ${over} px to scroll`);
        await page.waitForFunction(() => scrollY > 0);
      }
      await toTab(page, 'orders');
      await page.keyboard.press('ArrowDown');
      await idle(page);
      assert.equal((await stateOf(page)).o, 6);
    });

    browser.test('a list that has the focus scrolls by keys, and the block stays', async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=rings.weight&o=5&b=6' });
      await page.evaluate(() => {
        const { store } = globalThis.packedPage;
        const many = Array.from({ length: 60 }, (_, i) => [`key.${i}`, 'word']);
        store.set({ source: { ...store.state.source, metadata: many, metadataCount: 60 } });
        document.querySelector('.metadata').open = true;
      });
      await idle(page);
      const before = await placeOf(page);
      const regions = await page.$$eval('[tabindex="0"].scroll', (all) => all.length);
      assert.ok(regions >= 2, `${regions} regions`);
      for (let i = 0; i < regions; i++) {
        const over = await page.$$eval(
          '[tabindex="0"].scroll',
          (all, at) => {
            all[at].focus();
            return all[at].scrollHeight - all[at].clientHeight;
          },
          i,
        );
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('PageDown');
        if (over > 0) {
          await page.waitForFunction(
            (at) => document.querySelectorAll('[tabindex="0"].scroll')[at].scrollTop > 0,
            {},
            i,
          );
        }
        await idle(page);
        assert.deepEqual(await placeOf(page), before);
      }
    });
  });
}
