// A page that has been opened once opens again without a network, as one build and never as a mix of two.
import assert from 'node:assert/strict';
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { engines, idle, stateOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';
import { smallModel } from '../support/gguf-files.js';
import { builtPage } from '../support/server.js';

const kept = (page) =>
  page.waitForFunction(() => globalThis.packedPage?.store.state.offline === true);

/** What a page is made of: the build that its HTML names, and whether its style sheet is there. */
const madeOf = (page) =>
  page.evaluate(() => ({
    build: document.querySelector('meta[name=build]')?.content ?? 'first',
    style: document.querySelector('link[rel=stylesheet]').href.split('/').at(-1),
    rules: document.styleSheets[0]?.cssRules.length ?? 0,
  }));

async function works(page) {
  const { source, grid, block } = await stateOf(page);
  assert.deepEqual([source.sample, grid.tensor], ['mixed', 'rings.weight']);
  assert.ok(Object.values(block.values).some((value) => value !== 0));
  const hashes = await page.evaluate(() =>
    Promise.all([0, 1].map((panel) => globalThis.packedPage.ask('hash', { panel }))),
  );
  assert.notEqual(hashes[0].hash, hashes[1].hash);
}

for (const engine of engines) {
  const without = /failed: |ERR_|Failed to|Loading|load|example\.com.*Content Security Policy/;

  describeInBrowser(`offline in ${engine}`, engine, (browser) => {
    browser.test(
      'opened once, opened again while the host is gone: the sample, a file, the bench',
      async () => {
        const page = await browser.page({ again: true, query: '?bench=tiny', expected: without });
        await kept(page);
        const { served } = browser.site;
        const again = served.filter((path, i) => served.indexOf(path) < i);
        assert.deepEqual(
          again.map((path) => basename(path)),
          ['index.html'],
          'sent a second time',
        );
        await browser.site.close();
        await page.reload();
        await idle(page);
        await works(page);
        await page.waitForFunction(() => globalThis.packedPage.store.state.report?.ok);
        const refused = await page.evaluate(() =>
          Promise.all([
            fetch('https://example.com/').then(
              () => 'sent',
              () => 'refused',
            ),
            globalThis.packedPage.ask('fetch', { url: 'https://example.com/' }),
          ]),
        );
        assert.equal(refused[0], 'refused');
        assert.match(refused[1], /^refused/);
        const path = join(browser.folder, 'small.gguf');
        await writeFile(path, smallModel());
        await (await page.$('#file')).uploadFile(path);
        await page.waitForFunction(
          () => globalThis.packedPage.store.state.grid?.tensor === 'tall.weight',
        );
        await page.evaluate(() => document.querySelector('#tab-bench').click());
        await page.waitForSelector('bench-pane .primary');
        await page.click('bench-pane .primary');
        await page.waitForFunction(
          () => globalThis.packedPage.store.state.bench?.stage === 'finished',
        );
        assert.ok((await stateOf(page)).bench.rows.length > 0);
      },
    );
  });

  describeInBrowser(`a new build in ${engine}`, engine, (browser) => {
    /** The built page with another style sheet, as a build after a change makes it. */
    async function anotherBuild({ worker }) {
      const folder = join(browser.folder, `build-${worker}`);
      await cp(builtPage, folder, { recursive: true });
      const html = await readFile(join(folder, 'index.html'), 'utf8');
      const [style] = html.match(/index-[\w-]+\.css/);
      await rename(join(folder, 'assets', style), join(folder, 'assets/index-another.css'));
      const change = async (name, ...edits) => {
        const text = await readFile(join(folder, name), 'utf8');
        await writeFile(
          join(folder, name),
          edits.reduce((all, [from, to]) => all.replaceAll(from, to), text),
        );
      };
      await change(
        'index.html',
        [style, 'index-another.css'],
        ['<title>', '<meta name="build" content="second"><title>'],
      );
      if (worker === 'its own') {
        await change(
          'service-worker.js',
          [style, 'index-another.css'],
          ['"digest":"', '"digest":"f'],
        );
      }
      return folder;
    }

    browser.test('a page of one and a worker of another are not kept together', async () => {
      browser.site.switchTo(await anotherBuild({ worker: 'the first' }));
      const page = await browser.page({ again: true, expected: without });
      await page.waitForFunction(() => globalThis.packedPage.store.state.offline !== null);
      const { offline } = await stateOf(page);
      assert.equal(offline, false);
      await works(page);
      browser.site.switchTo(builtPage);
    });

    browser.test('the new one is shown at once, and without a network one of both', async () => {
      const page = await browser.page({ again: true, expected: without });
      await kept(page);
      const first = await madeOf(page);
      assert.equal(first.build, 'first');
      browser.site.switchTo(await anotherBuild({ worker: 'its own' }));
      await page.reload();
      await idle(page);
      const second = await madeOf(page);
      assert.deepEqual([second.build, second.style], ['second', 'index-another.css']);
      assert.ok(second.rules > 10);
      await kept(page);
      await browser.site.close();
      for (let i = 0; i < 2; i++) {
        await page.reload();
        await idle(page);
        const found = await madeOf(page);
        assert.deepEqual(found, found.build === 'first' ? first : second);
        await works(page);
      }
    });
  });
}
