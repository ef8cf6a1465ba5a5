// The address: what it cannot have is said, Back and Forward pass through every view, and it waits for a file.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engines, idle, stateOf } from '../support/browser.js';
import { smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

const hashOf = (page) => page.evaluate(() => location.hash);
const lastSaid = async (page) => (await stateOf(page)).status.at(-1);

async function choose(page, index) {
  await page.evaluate((i) => document.querySelectorAll('tensor-list li button')[i].click(), index);
  await idle(page);
}

async function toTab(page, tab) {
  await page.evaluate((id) => document.querySelector(`#tab-${id}`).click(), tab);
  await idle(page);
}

for (const engine of engines) {
  describeInBrowser(`links in ${engine}`, engine, (browser) => {
    browser.test('what a link cannot have is said last, and something is shown', async () => {
      const cases = {
        '#sample=none': /NO_SAMPLE: .*"none"/,
        '#sample=constructor': /NO_SAMPLE/,
        '#sample=mixed&t=none': /no tensor none/,
        '#sample=mixed&t=rings.weight&e=5': /OUT_OF_RANGE: Slice 5 is outside 0\.\.0/,
        '#sample=mixed&t=rings.weight&o=999&b=2': /\(999, 2\) is outside .* showing \(0, 2\)/,
        '#sample=mixed&c=mauve': /c=mauve/,
        '#sample=mixed&t=one-block-wide.weight&c=error': /channel error is not there/,
        '#%': /well-formed/,
      };
      for (const [hash, says] of Object.entries(cases)) {
        const page = await browser.page({ hash });
        const { tone, text } = await lastSaid(page);
        assert.equal(tone, 'error', hash);
        assert.match(text, says, hash);
        const { grid, channel, block } = await stateOf(page);
        assert.deepEqual([grid?.slice, channel, Boolean(block)], [0, 'scale', true], hash);
        assert.match(await hashOf(page), /^#sample=mixed&t=.*c=scale$/, hash);
        await page.close();
      }
    });

    browser.test(
      'an address that cannot be opened has its report, and the sample stands in',
      async () => {
        const page = await browser.page({ query: '?open=none.gguf', expected: /404|none\.gguf/ });
        const { source, grid, rejected, tab } = await stateOf(page);
        assert.deepEqual(
          [source.sample, grid.tensor, rejected.name, tab],
          ['mixed', 'rings.weight', 'none.gguf', 'report'],
        );
        assert.match((await lastSaid(page)).text, /none\.gguf answered 404/);
      },
    );

    browser.test('an address that is none is said to be so, and the sample stands in', async () => {
      const cases = {
        '?open=http://[bad': /^NO_ADDRESS: "http:\/\/\[bad" .* Name a file on this page's own host/,
        '?open=%25zz.gguf': /%zz\.gguf/,
      };
      for (const [query, says] of Object.entries(cases)) {
        const page = await browser.page({ query, expected: /404|zz\.gguf/ });
        const { source, grid } = await stateOf(page);
        assert.deepEqual([source.sample, grid.tensor], ['mixed', 'rings.weight'], query);
        const { tone, text } = await lastSaid(page);
        assert.equal(tone, 'error');
        assert.match(text, says);
        assert.doesNotMatch(text, /malformed/);
        await page.close();
      }
    });

    browser.test('Back and Forward pass through every view and add none', async () => {
      const page = await browser.page({ hash: '#sample=mixed' });
      const looks = async () => {
        const { tensor, tab, wrap, channel, o } = await stateOf(page);
        return { hash: await hashOf(page), tensor, tab, wrap, channel, o };
      };
      const seen = [await looks()];
      for (const step of [
        () => choose(page, 1),
        () => choose(page, 2),
        () => toTab(page, 'wrong'),
        () => toTab(page, 'orders'),
        async () => {
          await page.click('orders-pane input[type=checkbox]');
          await page.keyboard.press('ArrowDown');
          await page.waitForFunction(() => /w=logical/.test(location.hash));
          seen.pop();
        },
        () => choose(page, 3),
      ]) {
        await step();
        await idle(page);
        seen.push(await looks());
      }
      const entries = await page.evaluate(() => history.length);
      const go = async (way, wanted) => {
        await page.evaluate((to) => history[to](), way);
        await page.waitForFunction((hash) => location.hash === hash, {}, wanted.hash);
        await idle(page);
        assert.deepEqual(await looks(), wanted, way);
      };
      for (const wanted of seen.slice(0, -1).reverse()) await go('back', wanted);
      for (const wanted of seen.slice(1)) await go('forward', wanted);
      assert.equal(await page.evaluate(() => history.length), entries);
    });

    browser.test('going back within a tensor does not read it again', async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=rings.weight' });
      const { key } = (await stateOf(page)).grid;
      await toTab(page, 'trace');
      await page.evaluate(() => history.back());
      await page.waitForFunction(() => globalThis.packedPage.store.state.tab === 'orders');
      await idle(page);
      assert.equal((await stateOf(page)).grid.key, key);
    });

    browser.test('the skip link leaves the opened file and its address as they are', async () => {
      const path = join(browser.folder, 'small.gguf');
      await writeFile(path, smallModel());
      const page = await browser.page();
      await (await page.$('#file')).uploadFile(path);
      await page.waitForFunction(
        () => globalThis.packedPage.store.state.source?.name === 'small.gguf',
      );
      await idle(page);
      const before = await hashOf(page);
      await page.focus('.skip');
      await page.keyboard.press('Enter');
      await idle(page);
      assert.equal(await page.evaluate(() => document.activeElement.id), 'work');
      assert.deepEqual(
        [(await stateOf(page)).source.name, await hashOf(page)],
        ['small.gguf', before],
      );
      // Nor does an address that says nothing of what is shown.
      await page.evaluate(() => (location.hash = 'elsewhere'));
      await idle(page);
      assert.equal((await stateOf(page)).source.name, 'small.gguf');
    });

    browser.test('a link to a file waits in the address until the file is there', async () => {
      const path = join(browser.folder, 'small.gguf');
      await writeFile(path, smallModel());
      const hash = '#file=small.gguf&t=wide.weight&v=orders&o=1&b=2&c=identity&w=logical';
      const page = await browser.page({ hash });
      assert.match((await lastSaid(page)).text, /^Drop small\.gguf again to restore this view/);
      assert.equal((await stateOf(page)).source.sample, 'mixed');
      await page.keyboard.press('ArrowRight');
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.equal(await hashOf(page), hash);
      await page.reload();
      await idle(page);
      assert.equal(await hashOf(page), hash);
      await (await page.$('#file')).uploadFile(path);
      await page.waitForFunction(
        () => globalThis.packedPage.store.state.source?.name === 'small.gguf',
      );
      await idle(page);
      const { tensor, o, b, channel, wrap } = await stateOf(page);
      assert.deepEqual([tensor, o, b, channel, wrap], ['wide.weight', 1, 2, 'identity', 'logical']);
      assert.match(await hashOf(page), /^#t=wide\.weight&/);
    });

    browser.test('the error channel is drawn from errors, however it is arrived at', async () => {
      const drawn = (page) =>
        page.evaluate(() => globalThis.packedPage.ask('hash', { panel: 0 }).then((x) => x.hash));
      const page = await browser.page({ hash: '#sample=mixed&t=odd.weight' });
      await page.click('input[name=channel][value=error]');
      await idle(page);
      const chosen = await drawn(page);
      await choose(page, 0);
      await choose(page, 4);
      const { channel, tensor } = await stateOf(page);
      assert.deepEqual([channel, tensor], ['error', 'odd.weight']);
      assert.equal(await drawn(page), chosen);
      await page.close();
      const linked = await browser.page({ hash: '#sample=mixed&t=odd.weight&c=error' });
      assert.equal((await stateOf(linked)).channel, 'error');
      assert.equal(await drawn(linked), chosen);
      await linked.click('input[name=channel][value=scale]');
      await idle(linked);
      assert.notEqual(await drawn(linked), chosen);
    });
  });
}
