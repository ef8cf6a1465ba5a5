// The status line speaks of what is on screen: what was said of one tab, or of one weight, is not shown beside another.
import assert from 'node:assert/strict';
import { chooseAndPress, idle, stateOf, textOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';
import { TABS } from '../../web/src/state/link.js';

const FILE = /^sample-mixed\.gguf: \d+ tensors, .* GGUF version 3\.$/;

async function toTab(page, tab) {
  await page.evaluate((id) => document.querySelector(`#tab-${id}`).click(), tab);
  await idle(page);
}

async function toTensor(page, name) {
  await page.evaluate((wanted) => {
    const buttons = [...document.querySelectorAll('tensor-list li button')];
    buttons.find(({ textContent }) => textContent.includes(wanted)).click();
  }, name);
  await idle(page);
}

/** What the line says in every tab. */
async function saidIn(page) {
  const said = {};
  for (const tab of TABS) {
    await toTab(page, tab);
    said[tab] = await textOf(page, '#status');
  }
  return said;
}

/** What is said when something is done in a tab, and the tabs in which that is shown. */
const sayings = {
  'the verdict of a comparison': {
    tab: 'compare',
    act: (page) => chooseAndPress(page, '#example', 'two blocks swapped'),
    says: /belongs to block/,
    in: ['compare'],
    ofWeight: true,
  },
  'a comparison that is refused': {
    tab: 'compare',
    act: (page) =>
      page.evaluate(() => {
        const files = ['a.bin', 'b.bin', 'c.bin'].map((name) => new File(['x'], name));
        document.querySelector('compare-pane').take(files);
      }),
    says: /^Problem: 3 files cannot be compared/,
    in: ['compare'],
    ofWeight: true,
  },
  'the price of a prepack': {
    tab: 'trace',
    act: (page) => page.click('trace-pane .primary'),
    says: /^AdapterInserted .* in \d/,
    in: ['orders', 'trace'],
    ofWeight: true,
  },
  'the end of a check': {
    tab: 'report',
    act: (page) => page.click('#check-values'),
    says: /^Checked: \d+ finding/,
    in: ['report'],
  },
  'the end of a bench': {
    tab: 'bench',
    act: (page) => page.click('#bench-start'),
    says: /^Measured: \d+ rows/,
    in: ['bench'],
  },
  'a panel that keys walk in': {
    tab: 'orders',
    act: (page) => page.keyboard.press('s'),
    says: /^Keys now walk in INPUT_BLOCK_MAJOR/,
    in: ['orders'],
    ofWeight: true,
  },
};

describeInBrowser('the status line', 'chrome', (browser) => {
  for (const [name, { tab, act, says, in: where, ofWeight }] of Object.entries(sayings)) {
    browser.test(`${name} is said where it is on screen, and nowhere else`, async () => {
      const page = await browser.page({ query: '?bench=tiny', hash: '#sample=mixed&t=odd.weight' });
      await toTab(page, tab);
      await act(page);
      await page.waitForFunction(
        (text) => new RegExp(text).test(globalThis.packedPage.store.state.status.at(-1).text),
        {},
        says.source.replace('^Problem: ', '^'),
      );
      await idle(page);
      assert.match(await textOf(page, '#status'), says);
      for (const [other, said] of Object.entries(await saidIn(page))) {
        assert.match(said, where.includes(other) ? says : FILE, other);
      }
      await toTensor(page, 'rings.weight');
      for (const [other, said] of Object.entries(await saidIn(page))) {
        assert.match(said, !ofWeight && where.includes(other) ? says : FILE, `${other}, later`);
      }
      assert.match((await textOf(page, '.status ol')) ?? '', new RegExp(says.source.slice(1, 9)));
    });
  }

  browser.test('what is wrong with one weight is not said of the next', async () => {
    const page = await browser.page({ hash: '#sample=mixed&t=odd.weight' });
    const wrong = await page.evaluate(() => {
      const { tensors } = globalThis.packedPage.store.state.source;
      return tensors.map(({ name }) => name);
    });
    let refused = 0;
    for (const name of wrong) {
      await toTensor(page, name);
      const stored = await page.$('input[name=label][value=AS_STORED]');
      if (stored) await stored.click();
      await idle(page);
      const { grid, status } = await stateOf(page);
      const said = await textOf(page, '#status');
      assert.match(said, grid?.refusal ? /^Problem: LOOKS_TRANSPOSED/ : FILE, name);
      if (grid?.refusal) assert.equal(status.at(-1).text, said.replace('Problem: ', ''), name);
      refused += grid?.refusal ? 1 : 0;
    }
    assert.ok(refused > 1 && refused < wrong.length, `${refused} of ${wrong.length}`);
  });

  browser.test('with more said than is kept, the line still says what file it is', async () => {
    const page = await browser.page();
    await toTab(page, 'orders');
    for (let i = 0; i < 60; ++i) await page.keyboard.press('s');
    assert.equal((await stateOf(page)).status.length, 50);
    await toTab(page, 'wrong');
    assert.match(await textOf(page, '#status'), FILE);
  });
});
