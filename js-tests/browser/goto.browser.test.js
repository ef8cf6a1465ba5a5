// A place that is typed: where it leads, and how long it is said that it leads nowhere.
import assert from 'node:assert/strict';
import { engines, idle, stateOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';

for (const engine of engines) {
  describeInBrowser(`go to in ${engine}`, engine, (browser) => {
    browser.test(
      'where "go to" does not lead is said until the text, the tensor or the tab is another',
      async () => {
        const page = await browser.page({ hash: '#sample=mixed&t=rings.weight' });
        const put = async (text) => {
          await page.focus('#goto');
          await page.$eval('#goto', (field) => field.select());
          await page.keyboard.type(text);
          await page.keyboard.press('Enter');
          await idle(page);
        };
        const said = () =>
          page.evaluate(() => [
            document.querySelector('#goto-problem').textContent,
            document.querySelector('#goto').getAttribute('aria-invalid'),
          ]);
        const lost = ['Cannot go there: o 99 is outside 0..95.', 'true'];
        const gone = ['', 'false'];
        const ends = {
          'a letter more': () => page.keyboard.type('x'),
          emptied: async () => {
            await page.$eval('#goto', (field) => field.select());
            await page.keyboard.press('Backspace');
          },
          'another tensor': () =>
            page.evaluate(() => document.querySelectorAll('tensor-list li button')[2].click()),
          'another tab': () => page.evaluate(() => document.querySelector('#tab-wrong').click()),
        };
        for (const [what, end] of Object.entries(ends)) {
          await page.evaluate(() => {
            document.querySelector('tensor-list li button').click();
            document.querySelector('#tab-orders').click();
          });
          await idle(page);
          await put('99,0');
          assert.deepEqual(await said(), lost, what);
          assert.equal((await stateOf(page)).status.at(-1).text, lost[0]);
          await end();
          await idle(page);
          assert.deepEqual(await said(), gone, what);
        }
        await put('9,3');
        const { o, b } = await stateOf(page);
        assert.deepEqual([o, b], [9, 3]);
      },
    );
  });
}
