// What somebody waits for who opens the page: the first paint, the sample in both orders, and what is sent for it.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { gzippedKilobytes, hold, percentile } from '../support/budget.js';
import { engines, idle, stateOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';

/** The sample is drawn in both orders, its first block has bytes and values. */
const seen = (page) =>
  page.waitForFunction(() => performance.getEntriesByName('first-view').length > 0);

const middle = (list) => percentile(list, 0.5);

for (const engine of engines) {
  describeInBrowser(`first view in ${engine}`, engine, (browser) => {
    browser.test('first paint, ready page, no long task', async () => {
      const bare = await bareFirstPaint();
      console.log(
        `    first contentful paint without any script, here and now: ${bare.toFixed(0)} ms`,
      );
      const seenPages = [];
      for (let i = 0; i < 3; i++)
        seenPages.push(await measured(await browser.page({ open: false })));
      const [paints, views, tasks] = ['paint', 'view', 'task'].map((key) =>
        seenPages.map((each) => each[key]),
      );
      hold('first contentful paint, the middle of three', middle(paints), 'ms', 200, 20_000);
      hold('page ready with the sample, the middle of three', middle(views), 'ms', 700, 60_000);
      // Chromium's alone to tell.
      if (engine === 'chrome')
        hold(
          'longest task of the main thread, the middle of three',
          middle(tasks),
          'ms',
          50,
          10_000,
        );
    });

    /** What the machine takes to show the HTML alone. */
    async function bareFirstPaint() {
      const page = await browser.page({ open: false });
      const release = browser.site.hold(/\.js$/);
      const opened = page.goto(browser.site.url);
      await page.waitForFunction(
        () => performance.getEntriesByName('first-contentful-paint').length > 0,
      );
      const paint = await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0].startTime,
      );
      release();
      await opened;
      await idle(page);
      await page.close();
      return paint;
    }

    /** Opens the page and gives what it took, in milliseconds. */
    async function measured(page) {
      await page.evaluateOnNewDocument(() => {
        globalThis.longTasks = [];
        if (!PerformanceObserver.supportedEntryTypes.includes('longtask')) return;
        new PerformanceObserver((list) =>
          globalThis.longTasks.push(...list.getEntries().map((e) => e.duration)),
        ).observe({ type: 'longtask', buffered: true });
      });
      await page.goto(browser.site.url);
      await seen(page);
      await idle(page);
      const times = await page.evaluate(() => ({
        paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
        view: performance.getEntriesByName('first-view')[0].startTime,
        task: Math.max(0, ...globalThis.longTasks),
      }));
      await page.close();
      return times;
    }

    browser.test(
      'the first view waits for one part of the package; the others follow by themselves',
      async () => {
        browser.site.served.length = 0;
        const release = browser.site.hold(/(columns|tools|files)[^/]*$/);
        const page = await browser.page({ open: false });
        await page.goto(browser.site.url);
        await seen(page);
        const hashes = await page.evaluate(() =>
          Promise.all([0, 1].map((panel) => globalThis.packedPage.ask('hash', { panel }))),
        );
        assert.notEqual(hashes[0].hash, hashes[1].hash);
        await page.keyboard.press('ArrowRight');
        await page.waitForFunction(() => globalThis.packedPage.store.state.block.b === 1);
        const { block, tools, report } = await stateOf(page);
        assert.ok(Object.values(block.values).some((value) => value !== 0));
        assert.deepEqual([block.named, tools, report], [false, false, null]);

        const first = [...browser.site.served];
        const modules = first
          .filter((path) => path.endsWith('.wasm'))
          .map((path) => basename(path));
        // Where the relaxed module fails its self-check, the other one is fetched after it.
        const isa = (await stateOf(page)).isa;
        const needed = first.filter(
          (path) => !path.endsWith('.wasm') || basename(path).startsWith(isa),
        );
        console.log(`    ${first.length} files, of them ${modules}`);
        hold('transfer for the first view', gzippedKilobytes(needed), 'KB', 220, 220);

        release();
        await idle(page);
        const later = await stateOf(page);
        assert.deepEqual([later.block.named, later.tools, later.report.ok], [true, true, true]);
        assert.ok(later.block.fields.length > 0);
        console.log(`    with what follows ${gzippedKilobytes(browser.site.served).toFixed(0)} KB`);
        const sent = browser.site.served;
        assert.equal(new Set(sent).size, sent.length, 'nothing is sent twice');
      },
    );

    browser.test('a sample of which no block can be told is checked all the same', async () => {
      const page = await browser.page({ open: false });
      await page.evaluateOnNewDocument(() => {
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (message, ...rest) {
          const asked = message.question === 'block' ? { ...message, question: 'none' } : message;
          return postMessage.call(this, asked, ...rest);
        };
      });
      await page.goto(browser.site.url);
      await page.waitForFunction(() => globalThis.packedPage?.store.state.report);
      const { block, report, status } = await stateOf(page);
      assert.deepEqual([block, report.ok], [null, true]);
      assert.ok(status.some(({ tone }) => tone === 'error'));
    });
  });
}
