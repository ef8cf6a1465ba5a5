// What may take long has a bar while it does, and Escape ends it: nothing of it is shown later.
import { before } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chooseAndPress, engines, idle, stateOf, textOf } from '../support/browser.js';
import { writeSparseModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';
import { slowReads } from '../support/in-worker.js';
import { servePage } from '../support/server.js';

/** Everything that may take long: the question to the worker, how it is begun, and whether its answer is shown. */
const works = {
  'a comparison': {
    question: 'compare',
    tab: 'compare',
    begin: (page) => chooseAndPress(page, '#example', 'two blocks swapped'),
    says: /^Comparing …/,
    isShown: () => globalThis.packedPage.store.state.comparison !== null,
  },
  'a prepack': {
    question: 'prepack',
    tab: 'orders',
    begin: (page) => page.click('#prepack'),
    says: /^Prepacking …/,
    isShown: () => globalThis.packedPage.store.state.events.length > 0,
  },
  'a prepack from the trace': {
    question: 'prepack',
    tab: 'trace',
    begin: (page) => page.click('trace-pane .primary'),
    says: /^Prepacking …/,
    isShown: () => globalThis.packedPage.store.state.events.length > 0,
  },
  'the wrong reading': {
    question: 'errors',
    tab: 'orders',
    begin: (page) => page.click('input[name=channel][value=error]'),
    says: /^Reading in the wrong order …/,
    isShown: () => globalThis.packedPage.store.state.channel === 'error',
  },
  ...Object.fromEntries(
    [
      ['png-1', 'png', /^Drawing the panel …/],
      ['png-exact', 'png', /^Drawing the panel …/],
      ['csv', 'permutation', /^Writing the permutation …/],
      ['bin', 'prepackedBytes', /^Prepacking …/],
    ].map(([choice, question, says]) => [
      `the export of ${choice}`,
      {
        question,
        tab: 'orders',
        begin: (page) => chooseAndPress(page, '#export', choice),
        says,
        isShown: () => globalThis.saved > 0,
      },
    ]),
  ),
};

/** Runs in the page: questions are sent when `release` is called with them; what is saved is counted. */
function hold(questions) {
  const { postMessage } = Worker.prototype;
  const held = {};
  Worker.prototype.postMessage = function (message, ...rest) {
    const send = () => postMessage.call(this, message, ...rest);
    if (!questions.includes(message.question)) return send();
    held[message.question] = send;
  };
  globalThis.release = (question) => {
    questions = questions.filter((each) => each !== question);
    held[question]();
  };
  globalThis.saved = 0;
  HTMLAnchorElement.prototype.click = () => void ++globalThis.saved;
}

async function toTab(page, tab) {
  await page.evaluate((id) => document.querySelector(`#tab-${id}`).click(), tab);
  await idle(page);
}

const barIs = (page, text) =>
  page.waitForFunction(
    (source) => {
      const label = document.querySelector('progress-line label')?.textContent.trim();
      return label !== undefined && new RegExp(source).test(label);
    },
    {},
    text.source,
  );

const noBar = (page) =>
  page.waitForFunction(
    () =>
      !globalThis.packedPage.store.state.progress && !document.querySelector('progress-line label'),
  );

const cancelled = async (page) =>
  (await stateOf(page)).status.filter(({ text }) => text === 'Cancelled.').length;

for (const engine of engines) {
  describeInBrowser(`long work in ${engine}`, engine, (browser) => {
    for (const [name, { question, tab, begin, says, isShown }] of Object.entries(works)) {
      browser.test(`${name} has a bar until it is there, or until it is cancelled`, async () => {
        const page = await browser.page({ hash: '#sample=mixed&t=odd.weight' });
        await toTab(page, tab);
        for (const way of ['Escape', 'the button']) {
          await page.evaluate(hold, [question]);
          await begin(page);
          await barIs(page, says);
          if (way === 'Escape') await page.keyboard.press('Escape');
          else await page.click('progress-line button');
          await noBar(page);
          await page.waitForFunction(
            () => document.querySelector('#status').textContent.trim() === 'Cancelled.',
          );
          const before = await cancelled(page);
          await page.evaluate((held) => globalThis.release(held), question);
          await idle(page);
          assert.equal(await page.evaluate(isShown), false, `${way}: shown later`);
          assert.equal(await cancelled(page), before, 'said once');
          assert.equal(await textOf(page, '#status'), 'Cancelled.');
        }
        await page.evaluate(hold, [question]);
        await begin(page);
        await barIs(page, says);
        await page.evaluate((held) => globalThis.release(held), question);
        await page.waitForFunction(isShown);
        await noBar(page);
      });
    }

    browser.test('of two things at once the bar is of the later, then of the other', async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=odd.weight' });
      await toTab(page, 'report');
      await page.evaluate(hold, ['validate', 'compare', 'prepack']);
      await page.click('#check-values');
      await barIs(page, /^Checking the values/);
      await toTabAtOnce(page, 'compare');
      await chooseAndPress(page, '#example', 'two blocks swapped');
      await barIs(page, /^Comparing/);
      await page.evaluate(() => globalThis.release('compare'));
      await page.waitForSelector('#verdict');
      await barIs(page, /^Checking the values/);
      await toTabAtOnce(page, 'trace');
      await page.click('trace-pane .primary');
      await barIs(page, /^Prepacking/);
      await page.keyboard.press('Escape');
      await noBar(page);
      await page.evaluate(() => ['validate', 'prepack'].forEach(globalThis.release));
      await idle(page);
      assert.deepEqual((await stateOf(page)).events, []);
    });
  });

  describeInBrowser(
    `long reads in ${engine}`,
    engine,
    (browser) => {
      before(() =>
        writeSparseModel(join(browser.folder, 'long.gguf'), [
          { name: 'long.weight', encoding: 'Q8_0', ne: [4096, 115_000] },
        ]),
      );

      browser.test(
        'half a gigabyte is read by parts, and what is cancelled reads no further',
        async () => {
          const page = await browser.page();
          await (await page.$('#file')).uploadFile(join(browser.folder, 'long.gguf'));
          await page.waitForFunction(
            () => globalThis.packedPage.store.state.grid?.tensor === 'long.weight',
          );
          await idle(page);
          for (const [question, about] of [
            ['compare', { kernelOrder: true, example: 'file order' }],
            ['prepack', {}],
            ['prepackedBytes', {}],
          ]) {
            const { parts, error } = await page.evaluate(
              async (asked, rest) => {
                const { ask, store } = globalThis.packedPage;
                const seen = [];
                const { key } = store.state.grid;
                const told = (patch) => {
                  seen.push(patch);
                  // As Escape does.
                  if (seen.length === 3) {
                    globalThis.packedPage.store.set({ help: false });
                    document.body.dispatchEvent(
                      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }),
                    );
                  }
                };
                const pending = ask(asked, { key, ...rest }, [], told);
                // Something that Escape ends must be under way.
                document.querySelector('#prepack').click();
                const failed = await pending.then(
                  () => 'it went on to its end',
                  ({ name }) => name,
                );
                return { parts: seen, error: failed };
              },
              question,
              about,
            );
            assert.equal(error, 'AbortError', question);
            assert.ok(parts.length >= 3, question);
            for (const { what, done, total } of parts) {
              assert.equal(what, 'Reading long.weight');
              assert.equal(total, 115_000 * 128 * 34);
              assert.ok(done > 0 && done < total, `${done} of ${total}`);
            }
            const all = parts.map(({ done }) => done);
            assert.deepEqual(
              all,
              all.toSorted((a, b) => a - b),
            );
            await idle(page);
            assert.deepEqual((await stateOf(page)).events, []);
          }
        },
      );
    },
    { serve: () => servePage({ inWorker: slowReads(/^(compare|prepack)/) }) },
  );
}

/** Without waiting for rest: there is none while something is held. */
async function toTabAtOnce(page, tab) {
  await page.evaluate((id) => document.querySelector(`#tab-${id}`).click(), tab);
  await page.waitForFunction((id) => globalThis.packedPage.store.state.tab === id, {}, tab);
  await page.waitForSelector(`${tab}-pane`);
}
