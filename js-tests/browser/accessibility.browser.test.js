// The page for everybody: axe in every tab and theme, keys, narrow and forced screens, no motion.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { violations } from '../support/axe.js';
import { fileURLToPath } from 'node:url';
import { chooseAndPress, idle, stateOf, textOf } from '../support/browser.js';
import { TABS } from '../../web/src/state/link.js';
import { describeInBrowser } from '../support/in-browser.js';

async function toTab(page, tab) {
  await page.evaluate((id) => document.querySelector(`#tab-${id}`)?.click(), tab);
  await idle(page);
}

/** Opens the lists of metadata and of tensors, which must scroll: only then is it looked at whether keys reach them. */
async function openLists(page) {
  await page.evaluate(() => {
    const { store } = globalThis.packedPage;
    const many = Array.from({ length: 60 }, (_, i) => [`key.${i}`, 'word '.repeat(9)]);
    store.set({ source: { ...store.state.source, metadata: many, metadataCount: 60 } });
    document.querySelector('.metadata').open = true;
    document.querySelector('.folded').open = true;
  });
  await idle(page);
}

const pictures = fileURLToPath(new URL('../../build/screenshots', import.meta.url));
await mkdir(pictures, { recursive: true });

const scheme = (value) => [{ name: 'prefers-color-scheme', value }];

describeInBrowser('accessibility', 'chrome', (browser) => {
  for (const theme of ['light', 'dark']) {
    browser.test(`axe finds nothing in any tab, ${theme}`, async () => {
      const page = await browser.page({
        media: scheme(theme),
        hash: '#sample=mixed&t=seed.weight',
      });
      for (const tab of TABS) {
        await toTab(page, tab);
        if (tab === 'compare') {
          await chooseAndPress(page, '#example', 'two blocks swapped');
          await idle(page);
        }
        assert.deepEqual(await violations(page), [], tab);
        // For people to look at, not to compare.
        for (const width of [1440, 900, 360]) {
          await page.setViewport({ width, height: 900 });
          await idle(page);
          await page.screenshot({ path: `${pictures}/${tab}-${theme}-${width}.png` });
        }
        await page.setViewport({ width: 1280, height: 860 });
        await idle(page);
      }
      await page.evaluate(() =>
        globalThis.packedPage.store.set({ help: true, table: true, tab: 'orders' }),
      );
      await idle(page);
      assert.deepEqual(await violations(page), [], 'help and table');
    });

    browser.test(
      `axe finds nothing in long lists of metadata and tensors at 360 px, ${theme}`,
      async () => {
        const page = await browser.page({ width: 360, media: scheme(theme) });
        await openLists(page);
        assert.deepEqual(await violations(page), []);
      },
    );
  }

  browser.test('at 320 px nothing needs a second direction of scrolling, in any tab', async () => {
    const page = await browser.page({ width: 320, height: 640 });
    for (const tab of TABS) {
      await toTab(page, tab);
      if (tab === 'compare') {
        await chooseAndPress(page, '#example', 'file order');
        await page.waitForSelector('#diagnosis');
        await page.evaluate(() => (document.querySelector('.verdict details').open = true));
        await idle(page);
      }
      if (tab === 'trace') {
        await page.click('trace-pane .primary');
        await page.waitForSelector('.events tr:nth-child(4)');
      }
      const over = await page.evaluate(() => {
        const inside = [...document.querySelectorAll('.scroll:has(.events, .findings)')];
        return Math.max(
          document.documentElement.scrollWidth - innerWidth,
          ...inside.map((each) => each.scrollWidth - each.clientWidth),
        );
      });
      assert.ok(over <= 0, `${tab}: ${over} px too wide`);
    }
  });

  browser.test('on a narrow screen the picture comes first, and the tensors unfold', async () => {
    const page = await browser.page({ width: 360, height: 640 });
    const look = () =>
      page.evaluate(() => ({
        top: document.querySelector('canvas').getBoundingClientRect().top + scrollY,
        open: [...document.querySelectorAll('.side details')].map((each) => each.open),
        focus: document.activeElement.id || document.activeElement.localName,
      }));
    const { top, open } = await look();
    assert.ok(top < 640, `the picture begins at ${top} px`);
    assert.deepEqual(open, [false, false]);
    assert.match(await textOf(page, '.folded summary'), /^Tensors \(7\) rings\.weight$/);
    await page.keyboard.press('/');
    await page.keyboard.type('odd');
    await idle(page);
    await page.keyboard.press('ArrowDown');
    assert.deepEqual((await look()).open, [true, false]);
    await page.keyboard.press('Enter');
    await idle(page);
    assert.equal((await stateOf(page)).tensor, 'odd.weight');
    const chosen = await look();
    assert.deepEqual([chosen.open, chosen.focus], [[false, false], 'summary']);
    await page.setViewport({ width: 1280, height: 860 });
    await idle(page);
    const roomy = await look();
    assert.deepEqual(
      roomy.open,
      [true],
      'beside the picture the list is no fold, Orientation is open',
    );
    assert.ok((await page.$$eval('tensor-list li', (all) => all.length)) === 1, 'still filtered');
    await page.setViewport({ width: 360, height: 640 });
    await idle(page);
    assert.deepEqual((await look()).open, [false, false]);
  });

  browser.test('targets are at least 24 by 24 px and every button has words', async () => {
    const page = await browser.page();
    for (const tab of TABS) {
      await toTab(page, tab);
      const bad = await page.evaluate(() =>
        [
          ...document.querySelectorAll(
            'button, select, input:not(.hidden-text), summary, label.choice',
          ),
        ]
          .filter((e) => e.checkVisibility?.({ visibilityProperty: true }) ?? true)
          .filter((e) => {
            const box = (e.closest('label.choice') ?? e).getBoundingClientRect();
            const wordless = e.matches('button') && !/\p{L}{2}/u.test(e.textContent);
            return wordless || (box.width > 0 && (box.width < 24 || box.height < 24));
          })
          .map((e) => e.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(bad, [], tab);
    }
  });

  browser.test('single-key shortcuts can be switched off, Escape stays', async () => {
    const page = await browser.page();
    await page.evaluate(() => globalThis.packedPage.store.set({ hotkeys: false }));
    await page.keyboard.press('x');
    assert.equal((await stateOf(page)).tab, 'orders');
    await page.evaluate(() => globalThis.packedPage.store.set({ hotkeys: true }));
    await page.keyboard.press('x');
    assert.equal((await stateOf(page)).tab, 'wrong');
  });

  browser.test(
    'the table of cells is a grid with one stop for Tab, and arrows walk it',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=rings.weight&o=20&b=5' });
      await page.keyboard.down('Alt');
      await page.keyboard.press('t');
      await page.keyboard.up('Alt');
      await idle(page);
      const stops = () =>
        page.$$eval('[role=gridcell][tabindex="0"]', (cells) =>
          cells.map((c) => c.textContent.trim()),
        );
      assert.deepEqual(await stops(), [String(20 * 64 + 5)]);
      await page.focus('[role=gridcell][tabindex="0"]');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowDown');
      await idle(page);
      const { o, b } = await stateOf(page);
      assert.deepEqual([o, b], [21, 6]);
      assert.deepEqual(await stops(), [String(21 * 64 + 6)]);
    },
  );

  browser.test(
    'the inspector is the picture in words: each field moves the block and the others follow',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=rings.weight' });
      const type = (id, value) =>
        page.evaluate(
          (i, v) => {
            const field = document.getElementById(i);
            field.value = v;
            field.dispatchEvent(new Event('change', { bubbles: true }));
            return globalThis.packedPage.idle();
          },
          id,
          value,
        );
      await type('block-kernel', '97');
      let { o, b } = await stateOf(page);
      assert.deepEqual([o, b], [1, 1]);
      await type('block-file', '130');
      ({ o, b } = await stateOf(page));
      assert.deepEqual([o, b], [2, 2]);
      await type('block-o', '96');
      const { status, o: kept } = await stateOf(page);
      assert.equal(kept, 2);
      assert.match(status.at(-1).text, /0\.\.95/);
      const field = await page.$eval('#block-o', (input) => ({
        invalid: input.getAttribute('aria-invalid'),
        problem: document.getElementById(input.getAttribute('aria-describedby'))?.textContent,
      }));
      assert.equal(field.invalid, 'true');
      assert.match(field.problem, /^96 is not a whole number in 0\.\.95/);
      await type('block-o', '2');
      assert.equal(
        await page.$eval('#block-o', (input) => input.getAttribute('aria-invalid')),
        'false',
      );
      await page.waitForFunction(() =>
        /^row 2, .* place 130; .* scale \S+$/.test(document.querySelector('#where').textContent),
      );
    },
  );

  browser.test(
    'what is wrong in a field of the inspector is said of this field alone, and goes with its cause',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=rings.weight' });
      const put = async (id, text, ...keys) => {
        await page.focus(id);
        await page.$eval(id, (field) => field.select());
        await page.keyboard.type(text);
        for (const key of keys) await page.keyboard.press(key);
        await idle(page);
      };
      const fields = () =>
        page.$$eval('.places input[type=number]', (all) =>
          all.map((field) =>
            [
              field.value,
              field.getAttribute('aria-invalid'),
              field.getAttribute('aria-describedby') ?? '',
            ]
              .join(' ')
              .trim(),
          ),
        );
      const right = (...values) => values.map((value) => `${value} false`);
      const wrong = ['9999 true place-problem', ...right(0, 0, 0)];
      const said = () => textOf(page, '#place-problem');

      await put('#block-o', '9999', 'Enter');
      assert.deepEqual(await fields(), wrong);
      assert.match(await said(), /^9999 is not/);
      await page.keyboard.press('Escape');
      await idle(page);
      assert.deepEqual(await fields(), wrong, 'kept for mending');
      await page.keyboard.press('ArrowRight');
      await idle(page);
      assert.deepEqual([await fields(), await said()], [right(0, 1, 1, 96), '']);

      await put('#block-o', '9999', 'Enter');
      await put('#block-b', '1', 'Enter');
      await put('#block-b', '2', 'Enter');
      assert.deepEqual([await fields(), await said()], [right(0, 2, 2, 192), '']);

      await put('#block-o', '9999', 'Enter');
      await put('#block-o', '1', 'Enter');
      assert.deepEqual([await fields(), await said()], [right(1, 2, 66, 193), '']);

      await put('#block-o', '', 'Backspace', 'Enter');
      assert.deepEqual(
        await fields(),
        [' true place-problem', ...right(2, 66, 193)].map((each) => each.trim()),
      );
      assert.match(await said(), /^nothing is not a whole number in 0\.\.95/);
      await page.keyboard.type('1');
      await idle(page);
      assert.deepEqual([await fields(), await said()], [right(1, 2, 66, 193), '']);

      await put('#block-o', '9999', 'Enter');
      await page.evaluate(() => [...document.querySelectorAll('tensor-list li button')][2].click());
      await idle(page);
      assert.deepEqual([await fields(), await said()], [right(0, 0, 0, 0), '']);

      await put('#block-o', '12');
      await page.evaluate(() => globalThis.packedPage.store.set({ isa: 'drawn again' }));
      await idle(page);
      assert.equal((await fields())[0], '12 false', 'what is being typed is left alone');
    },
  );

  browser.test('on a narrow screen events are a table with named columns still', async () => {
    const page = await browser.page({ width: 320, height: 640 });
    await toTab(page, 'trace');
    await page.click('trace-pane .primary');
    await page.waitForSelector('.events tr:nth-child(4)');
    await idle(page);
    const root = await page.$('trace-pane');
    const found = { table: 0, row: 0, cell: 0, columnheader: [] };
    const walk = ({ role, name, children = [] }) => {
      if (role === 'columnheader') found.columnheader.push(name);
      else if (role in found) found[role]++;
      children.forEach(walk);
    };
    walk(await page.accessibility.snapshot({ root, interestingOnly: false }));
    const rows = await page.$$eval('.events tr', (all) => all.length);
    assert.deepEqual(found, {
      table: 1,
      row: rows,
      cell: 4 * (rows - 1),
      columnheader: ['event', 'what', 'bytes', 'time'],
    });
  });

  browser.test(
    'the accessibility tree has the inspector: every field by its name, with its value',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=rings.weight&o=3&b=4' });
      const root = await page.$('block-inspector');
      const fields = [];
      const walk = (node) => {
        if (node.role === 'spinbutton' || node.role === 'textbox')
          fields.push([node.name, node.value]);
        (node.children ?? []).forEach(walk);
      };
      walk(await page.accessibility.snapshot({ root, interestingOnly: false }));
      const named = Object.fromEntries(fields);
      const { o, b } = named;
      assert.deepEqual([o, b].map(Number), [3, 4]);
      assert.deepEqual([named['file place'], named['kernel place']].map(Number), [
        3 * 64 + 4,
        4 * 96 + 3,
      ]);
      assert.ok('go to' in named);
      const picture = await page.accessibility.snapshot({ root: await page.$('canvas') });
      assert.match(picture.name, /rings\.weight: row 3, block 4; file place 196/);
    },
  );

  browser.test(
    'with reduced motion a prepack is three stills and nothing moves by itself',
    async () => {
      const page = await browser.page({
        media: [{ name: 'prefers-reduced-motion', value: 'reduce' }],
      });
      const seen = [];
      for (let i = 0; i < 3; i++) {
        await page.click('#prepack');
        await page.waitForFunction(
          (n) =>
            globalThis.packedPage.store.state.events.filter((e) => e.kind === 'AdapterInserted')
              .length > n,
          {},
          i,
        );
        await idle(page);
        seen.push((await stateOf(page)).flight);
      }
      assert.deepEqual(seen, [0, 0.5, 1]);
    },
  );

  browser.test(
    'forced colours keep the marks: the selected tab and tensor are told by more than a tint',
    async () => {
      const page = await browser.page();
      const client = await page.createCDPSession();
      await client.send('Emulation.setEmulatedMedia', {
        features: [{ name: 'forced-colors', value: 'active' }],
      });
      await idle(page);
      const marks = await page.evaluate(() => {
        const style = (s) => getComputedStyle(document.querySelector(s));
        return {
          forced: matchMedia('(forced-colors: active)').matches,
          tab: style('[role=tab][aria-selected=true]').borderBottomWidth,
          tensor: style('tensor-list [aria-current=true]').borderTopWidth,
        };
      });
      assert.deepEqual(marks, { forced: true, tab: '3px', tensor: '2px' });
      assert.deepEqual(await violations(page), []);
    },
  );

  browser.test('without a script the page shows the 2 x 3 picture and what it is', async () => {
    const page = await browser.page({ open: false, expected: /^failed: .*\.js$/ });
    await page.setJavaScriptEnabled(false);
    await page.goto(browser.site.url);
    const text = await page.$eval('svg.seed', (s) => s.textContent.replace(/\s+/g, ' '));
    assert.match(text, /ROW_MAJOR memory: \(0,0\) \(0,1\) \(0,2\) \(1,0\)/);
    assert.equal(await page.$$eval('svg.seed rect', (r) => r.length), 12);
  });
});
