// Files that open although something in them is wrong: the page says the library's own words in the picture's place.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { load } from 'packed-weights';
import { idle, stateOf, textOf } from '../support/browser.js';
import { casePath, cases } from '../support/cases.js';
import { ggufFile } from '../support/gguf-writer.js';
import { hostileFiles } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

const pw = await load();

async function open(page, ...paths) {
  const name = basename(paths[0]);
  await (await page.$('#file')).uploadFile(...paths);
  await page.waitForFunction(
    (wanted) => {
      const { source, status } = globalThis.packedPage.store.state;
      return source?.name === wanted || status.at(-1).tone === 'error';
    },
    {},
    name,
  );
  await idle(page);
}

/** What the library says of each tensor: an error, or nothing. */
async function refusals(path) {
  const file = await pw.openGguf(path).catch(() => null);
  const said = (file?.tensors ?? []).map(({ name, ne }) => {
    try {
      file.range(name);
      return { name, error: null, empty: ne.includes(0) };
    } catch (error) {
      return { name, error };
    }
  });
  await file?.close();
  return said;
}

describeInBrowser('damaged files', 'chrome', (browser) => {
  browser.test('a tensor that cannot be read is refused in the library’s words', async () => {
    const page = await browser.page();
    let refused = 0;
    for (const { file, path } of cases) {
      const tensors = await refusals(path);
      if (!tensors.length) continue;
      await open(page, path);
      for (const { name, error, empty } of tensors) {
        await page.evaluate(
          (wanted) =>
            [...document.querySelectorAll('tensor-list li button')]
              .find((button) => button.querySelector('.name').textContent === wanted)
              ?.click(),
          name,
        );
        await idle(page);
        const { grid, tab } = await stateOf(page);
        assert.equal(tab, 'orders', file);
        assert.equal(Boolean(grid), !error && !empty, `${file} ${name}`);
        if (grid) {
          assert.equal(await page.$('#not-shown'), null, file);
          continue;
        }
        const shown = await textOf(page, '#not-shown');
        assert.ok(shown.startsWith(`${name} cannot be shown. `), `${file}: ${shown}`);
        if (error)
          assert.ok(shown.includes(`${error.code}: ${error.message}`.trim()), `${file}: ${shown}`);
        assert.match(shown, /(hoose another tensor).*\.$/, `${file} ${name}`);
        refused++;
      }
    }
    assert.ok(refused > 8, `${refused} tensors refused`);
  });

  browser.test('a file without tensors says that there are none', async () => {
    const page = await browser.page();
    await open(page, casePath('ok-empty.gguf'));
    assert.match(await textOf(page, '#panel'), /This file has no tensors/);
  });

  browser.test('the report of a refused file stays about it after another mistake', async () => {
    const page = await browser.page();
    const [, cut] = hostileFiles();
    const paths = ['cut.gguf', 'a.gguf', 'b.gguf'].map((name) => join(browser.folder, name));
    await writeFile(paths[0], cut.bytes);
    for (const path of paths.slice(1)) await writeFile(path, ggufFile({}, []));
    await open(page, paths[0]);
    await (await page.$('#file')).uploadFile(paths[1], paths[2]);
    await page.waitForFunction(() =>
      /^NOT_SHARDS/.test(globalThis.packedPage.store.state.status.at(-1).text),
    );
    await idle(page);
    const { status, rejected } = await stateOf(page);
    assert.equal(status.at(-1).tone, 'error');
    assert.equal(rejected.name, 'cut.gguf');
    await page.click('#check-values');
    await page.waitForFunction(() => globalThis.packedPage.store.state.report?.tensorData);
    await idle(page);
    const { report } = await stateOf(page);
    assert.deepEqual([report.name, report.ok], ['cut.gguf', false]);
  });

  browser.test('a tensor whose reading was given up is not shown as the one before', async () => {
    const page = await browser.page({ hash: '#sample=mixed' });
    const bad = join(browser.folder, 'bad.gguf');
    await writeFile(bad, hostileFiles()[1].bytes);
    const ends = {
      Escape: () => page.keyboard.press('Escape'),
      'a file that is refused': async () => {
        await (await page.$('#file')).uploadFile(bad);
        await page.waitForFunction(() => globalThis.packedPage.store.state.rejected);
        await page.evaluate(() => document.querySelector('#tab-orders').click());
      },
    };
    for (const [what, end] of Object.entries(ends)) {
      await page.evaluate(() => {
        const { postMessage } = Worker.prototype;
        // The answer never comes.
        Worker.prototype.postMessage = function (message, ...rest) {
          if (message.question !== 'grid') return postMessage.call(this, message, ...rest);
          Worker.prototype.postMessage = postMessage;
        };
        document.querySelectorAll('tensor-list li button')[2].click();
      });
      await page.waitForFunction(() => globalThis.packedPage.store.state.progress);
      await end();
      await page.waitForSelector('#not-shown');
      assert.match(await textOf(page, '#not-shown'), /ffn_down.*given up/, what);
      const { grid, progress, tensor } = await stateOf(page);
      assert.deepEqual([grid, progress, tensor], [null, null, 'blk.0.ffn_down.weight'], what);
      assert.match(await page.evaluate(() => location.hash), /t=blk\.0\.ffn_down\.weight&/);
      await page.evaluate(() => document.querySelectorAll('tensor-list li button')[2].click());
      await page.waitForFunction(
        () => globalThis.packedPage.store.state.grid?.tensor === 'blk.0.ffn_down.weight',
      );
    }
  });

  browser.test(
    'a block asked of a tensor that is gone is asked of the next, and no error',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=odd.weight' });
      const { status } = await stateOf(page);
      for (let i = 0; i < 12; i++) {
        await page.evaluate((n) => {
          const { store } = globalThis.packedPage;
          // The question about a block arrives when the worker reads another tensor already.
          document.querySelectorAll('tensor-list li button')[n % 3].click();
          store.set({ o: 1, b: n % 3 });
        }, i);
        if (i % 2) await new Promise((resolve) => setTimeout(resolve, i));
      }
      await page.waitForFunction(() => {
        const { grid, block, progress } = globalThis.packedPage.store.state;
        return !progress && grid && block?.key === grid.key;
      });
      assert.deepEqual((await stateOf(page)).status, status);
    },
  );
});
