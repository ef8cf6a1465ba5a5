// The bench in the page: it runs in a worker, can be stopped, and its result can be taken away.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { violations } from '../support/axe.js';
import { ops } from 'packed-weights/bench';
import { engines, idle, stateOf, textOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';

/** Keeps what the page copies, which a headless browser may not. */
const keepCopies = (page) =>
  page.evaluate(() => {
    globalThis.copies = [];
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (text) => void globalThis.copies.push(text) },
    });
  });

async function stageReached(page, stage) {
  await page.waitForFunction(
    (wanted) => globalThis.packedPage.store.state.bench?.stage === wanted,
    {},
    stage,
  );
  await idle(page);
  return (await stateOf(page)).bench;
}

async function press(page, text) {
  await page.evaluate((wanted) => {
    const buttons = [...document.querySelectorAll('bench-pane button')];
    buttons.find((button) => button.textContent.trim() === wanted).click();
  }, text);
  await idle(page);
}

/** Here Firefox's clock is as people have it: it ticks a thousand times a second. */
const withItsClock = (engine) => (engine === 'firefox' ? { preferences: {} } : {});

for (const engine of engines) {
  describeInBrowser(
    `bench in ${engine}`,
    engine,
    (browser) => {
      browser.test(
        'with keys alone: measured, shown beside its goals, copied as JSON and Markdown',
        async (t) => {
          const page = await browser.page({ query: '?bench=tiny' });
          await page.keyboard.press('6');
          await idle(page);
          await page.focus('#bench-start');
          await page.keyboard.press('Enter');
          const bench = await stageReached(page, 'finished');
          assert.equal(bench.rows.length, bench.total);
          assert.deepEqual(new Set(bench.rows.map(({ op }) => op)), new Set(ops));
          assert.ok(bench.rows.every(({ share }) => share > 0 && Number.isFinite(share)));
          t.diagnostic(`${bench.isa}: ${await textOf(page, '#bench-summary')}`);
          const { dotCeiling } = bench.calibration;
          assert.match(
            await textOf(page, '#bench-ceilings'),
            new RegExp(`${dotCeiling.toFixed(0)} GOPS`),
          );
          assert.equal((await page.$$('.measured tbody tr')).length, bench.rows.length);
          assert.equal((await page.$$('details.bench')).length, ops.length);

          await keepCopies(page);
          await press(page, 'Copy as JSON');
          await press(page, 'Copy as Markdown');
          const [json, markdown] = await page.evaluate(() => globalThis.copies);
          const { userAgent, schemaVersion, results } = JSON.parse(json);
          assert.equal(userAgent, await page.evaluate(() => navigator.userAgent));
          assert.equal(schemaVersion, 1);
          assert.deepEqual(results, bench.rows);
          assert.equal(markdown.match(/^\| \w+ \| Q4_[0K] \|/gm).length, bench.rows.length);

          await page.type('bench-pane input[type=search]', 'gemv row');
          await idle(page);
          const shown = bench.rows.filter(
            ({ op, order }) => op === 'gemv' && order === 'ROW_MAJOR',
          );
          assert.equal((await page.$$('.measured tbody tr')).length, shown.length);
        },
      );

      browser.test(
        'while it runs the page answers, Esc stops it, and what was measured stays',
        async () => {
          const page = await browser.page();
          await page.keyboard.press('6');
          await idle(page);
          await page.click('#bench-start');
          await page.waitForFunction(
            () => globalThis.packedPage.store.state.bench?.rows.length > 1,
          );
          await page.keyboard.press('1');
          await page.waitForFunction(() => document.querySelector('orders-pane'));
          assert.equal((await stateOf(page)).bench.stage, 'running');
          await page.keyboard.press('6');
          await page.waitForSelector('#bench-progress');
          await page.keyboard.press('Escape');
          const { rows, total } = await stageReached(page, 'stopped');
          assert.ok(rows.length > 1 && rows.length < total);
          assert.match(await textOf(page, '#bench-start'), /Measure again/);
          await new Promise((resolve) => setTimeout(resolve, 300));
          assert.equal((await stateOf(page)).bench.rows.length, rows.length);
        },
      );
    },
    withItsClock(engine),
  );
}

for (const engine of engines) {
  describeInBrowser(`bench without a network in ${engine}`, engine, (browser) => {
    browser.test(
      'it runs and stops in the worker that is there, and the page says so',
      async () => {
        const open = async (query) => {
          const page = await browser.page({ query, expected: /failed: |console: / });
          await page.waitForFunction(() => globalThis.packedPage.store.state.report?.ok);
          await page.evaluate(() => globalThis.packedPage.ask('benchIsThere'));
          return page;
        };
        const long = await open('?bench=quick');
        const short = await open('?bench=tiny');
        await browser.site.close();
        const start = async (page) => {
          await page.bringToFront();
          await page.keyboard.press('6');
          await page.waitForSelector('#bench-start');
          await page.click('#bench-start');
        };
        await start(long);
        await long.waitForFunction(() => globalThis.packedPage.store.state.bench?.rows.length > 0);
        assert.match(await textOf(long, '#status'), /in the worker that draws/);
        await long.click('#bench-stop');
        await stageReached(long, 'stopped');
        await start(short);
        const bench = await stageReached(short, 'finished');
        assert.equal(bench.rows.length, bench.total);
      },
    );
  });
}

/** What is read aloud is a table, also on a narrow screen, where its rows are cards. @param {any} page */
async function namedTable(page) {
  const found = { row: 0, rowheader: 0, cell: 0, columnheader: [] };
  const walk = ({ role, name, children = [] }) => {
    if (role === 'columnheader') found.columnheader.push(name);
    else if (role in found) found[role]++;
    children.forEach(walk);
  };
  const root = await page.$('details.bench .measured');
  walk(await page.accessibility.snapshot({ root, interestingOnly: false }));
  const rows = await root.$$eval('tbody tr', (all) => all.length);
  assert.deepEqual(found, {
    row: rows + 1,
    rowheader: rows,
    cell: 6 * rows,
    columnheader: ['encoding', 'what', 'speed', 'beside its goal', 'share', 'goal', 'verdict'],
  });
}

describeInBrowser('bench for everybody', 'chrome', (browser) => {
  for (const value of ['light', 'dark']) {
    browser.test(
      `axe finds nothing in its results, ${value}; nothing is too wide at 320 px`,
      async () => {
        const media = [{ name: 'prefers-color-scheme', value }];
        const page = await browser.page({ query: '?bench=tiny', hash: '#v=bench', media });
        await page.click('#bench-start');
        await stageReached(page, 'finished');
        await page.$$eval('details.bench', (all) =>
          all.forEach((details) => (details.open = true)),
        );
        for (const width of [1280, 320]) {
          await page.setViewport({ width, height: 800 });
          await idle(page);
          assert.deepEqual(await violations(page), [], `${width} px`);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${over} px too wide at ${width} px`);
          await namedTable(page);
        }
      },
    );
  }
});
