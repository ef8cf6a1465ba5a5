// Lists to choose from by keys: a list only chooses, its button acts; and focus stays where somebody works.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engines, idle, openFiles, stateOf, textOf } from '../support/browser.js';
import { smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

/** Every list that has a button, and the tab that it is in. */
const lists = {
  '#sample': 'orders',
  '#export': 'orders',
  '#copy-as': 'orders',
  '#example': 'compare',
};

const focused = (page) =>
  page.evaluate(() => {
    const { id, localName, value } = /** @type {HTMLInputElement} */ (document.activeElement);
    return id || value || localName;
  });

/** Runs in the page: what leaves it is counted. */
function countTaken() {
  globalThis.taken = 0;
  navigator.clipboard.writeText = async () => void ++globalThis.taken;
  HTMLAnchorElement.prototype.click = () => void ++globalThis.taken;
}

for (const engine of engines) {
  describeInBrowser(`choices in ${engine}`, engine, (browser) => {
    browser.test(
      'a change of a list alone does nothing; its button, the next stop, acts',
      async () => {
        const page = await browser.page({ hash: '#sample=mixed&t=odd.weight' });
        await page.evaluate(countTaken);
        const did = async () => {
          const { source, comparison } = await stateOf(page);
          const taken = await page.evaluate(() => globalThis.taken);
          return JSON.stringify([source.name, comparison?.name, taken]);
        };
        for (const [list, tab] of Object.entries(lists).reverse()) {
          await page.evaluate((id) => document.querySelector(`#tab-${id}`).click(), tab);
          await idle(page);
          const before = await did();
          const choices = await page.$$eval(`${list} option`, (all) =>
            all.map(({ value }) => value),
          );
          assert.ok(choices.length > 1 && choices.every(Boolean), list);
          for (const choice of [...choices].reverse()) {
            await page.select(list, choice);
            await idle(page);
            assert.equal(
              await page.$eval(list, (select) => select.value),
              choice,
              'it stays chosen',
            );
          }
          assert.equal(await did(), before, list);
          await page.select(list, { '#export': 'block', '#sample': 'million' }[list] ?? choices[1]);
          await page.focus(list);
          await page.keyboard.press('Tab');
          await page.keyboard.press('Enter');
          await page.waitForFunction(
            (then) => {
              const { source, comparison } = globalThis.packedPage.store.state;
              return JSON.stringify([source.name, comparison?.name, globalThis.taken]) !== then;
            },
            {},
            before,
          );
          await idle(page);
        }
      },
    );

    browser.test('the list of themes shows the one in use, however it was chosen', async () => {
      const page = await browser.page();
      await page.select('#theme', 'dark');
      for (const wanted of ['light', 'dark', 'light']) {
        await page.keyboard.press('Escape');
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('t');
        await idle(page);
        assert.equal((await stateOf(page)).theme, wanted);
        assert.equal(await page.$eval('#theme', (select) => select.value), wanted);
      }
    });

    browser.test('focus goes on beside a control that takes itself away', async () => {
      const page = await browser.page();
      await writeFile(join(browser.folder, 'small.gguf'), smallModel());
      await openFiles(browser, page, 'small.gguf');
      await page.click('input[name=label][value=AS_STORED]');
      await page.waitForSelector('.refusal button');
      await page.focus('.refusal button');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => !document.querySelector('.refusal button'));
      await idle(page);
      assert.equal(await focused(page), 'OUT_IN');
      await page.evaluate(() => {
        const { postMessage } = Worker.prototype;
        // The answer never comes.
        Worker.prototype.postMessage = function (message, ...rest) {
          if (message.question !== 'grid') return postMessage.call(this, message, ...rest);
          Worker.prototype.postMessage = postMessage;
        };
        document.querySelectorAll('tensor-list li button')[1].click();
      });
      await page.waitForSelector('progress-line button');
      await page.focus('progress-line button');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => !document.querySelector('progress-line'));
      assert.equal(await focused(page), 'work');
    });

    browser.test('why there is no colour for errors is said in words, and truly', async () => {
      for (const [sample, says] of [
        ['mixed&t=one-block-wide.weight', /one block per row both orders are the same bytes/],
        ['mixed&t=odd.weight', null],
      ]) {
        const page = await browser.page({ hash: `#sample=${sample}` });
        if (says) assert.match(await textOf(page, '#no-error'), says);
        else assert.equal(await page.$('#no-error'), null);
        await page.close();
      }
    });
  });
}
