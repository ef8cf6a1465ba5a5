// The report is the validator's own, of files that open and of files that do not; the diagnosis is the library's.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { load } from 'packed-weights';
import { chooseAndPress, engines, idle, stateOf, textOf } from '../support/browser.js';
import { hostileFiles, smallModel, writeSparseModel } from '../support/gguf-files.js';
import { sharedFile } from '../support/shared.js';
import { describeInBrowser } from '../support/in-browser.js';
import { slowReads } from '../support/in-worker.js';
import { servePage } from '../support/server.js';

const pw = await load();
/** Opens a file and waits for its report: what the page holds of it. */
async function reportOf(page, path) {
  await (await page.$('#file')).uploadFile(path);
  await page.waitForFunction(
    (name) =>
      globalThis.packedPage.store.state.report?.name === name &&
      !globalThis.packedPage.store.state.progress,
    {},
    basename(path),
  );
  await idle(page);
  return (await stateOf(page)).report;
}

const told = ({ findings }) =>
  findings.map(({ rule, severity, message, offset, tensor, count }) =>
    [rule, severity, message, offset ?? null, tensor ?? null, count].join(' | '),
  );

async function agreesWithLibrary(page, path) {
  const shown = await reportOf(page, path);
  const own = await pw.validate(path, { tensorData: false });
  assert.deepEqual(told(shown), told(own), path);
  assert.equal(shown.ok, own.ok, path);
  return shown;
}

/** Presses the button: what the page then says is what the library says. */
async function checkValues(page, path) {
  await page.evaluate(() => document.querySelector('#tab-report').click());
  await page.waitForSelector('report-pane #check-values');
  await page.click('#check-values');
  await page.waitForFunction(() => globalThis.packedPage.store.state.report?.tensorData);
  await idle(page);
  const { report } = await stateOf(page);
  const own = await pw.validate(path);
  assert.deepEqual(told(report), told(own), path);
  assert.equal(report.bytesChecked, Number(own.bytesChecked));
  return report;
}

for (const engine of engines) {
  describeInBrowser(`report in ${engine}`, engine, (browser) => {
    browser.test(
      'a file with an infinite scale: found when values are checked, and followed to its block',
      async () => {
        const bytes = smallModel();
        const view = new DataView(bytes.buffer);
        const path = join(browser.folder, 'infinite.gguf');
        await writeFile(path, bytes);
        const file = await pw.openGguf(path);
        const { offset } = file.tensors.find((t) => t.name === 'tall.weight');
        await file.close();
        view.setUint16(offset + (5 * 3 + 2) * 18, 0x7c00, true);
        await writeFile(path, bytes);
        const page = await browser.page();
        assert.equal((await agreesWithLibrary(page, path)).ok, true);
        const { findings } = await checkValues(page, path);
        const found = findings.find((f) => f.severity === 'error');
        assert.deepEqual([found.tensor, found.o, found.b], ['tall.weight', 5, 2]);
        assert.match(await textOf(page, '#tab-report'), /\d+ ⚠/);
        assert.match(await textOf(page, '#summary'), /Not valid\. .*of values included/);
        await page.click('report-pane td button');
        await idle(page);
        const { tab, tensor, o, b } = await stateOf(page);
        assert.deepEqual([tab, tensor, o, b], ['orders', 'tall.weight', 5, 2]);
      },
    );

    browser.test(
      'a file that cannot be opened has a report too, and what was shown goes on',
      async () => {
        const page = await browser.page();
        for (const { name, bytes } of hostileFiles()) {
          const path = join(browser.folder, name);
          await writeFile(path, bytes);
          const report = await agreesWithLibrary(page, path);
          assert.equal(report.ok, false, name);
          assert.equal((await stateOf(page)).tab, 'report');
          assert.match(await textOf(page, '#rejected'), /could not be opened/);
          assert.match(await textOf(page, 'report-pane tbody tr'), /error/);
        }
        await page.click('report-pane input[value=llama]');
        await page.waitForFunction(
          () => globalThis.packedPage.store.state.report?.profile === 'llama',
        );
        await page.evaluate(() => document.querySelector('#tab-orders').click());
        await page.keyboard.press('ArrowRight');
        await idle(page);
        const { block, source } = await stateOf(page);
        assert.deepEqual([source.sample, block.o, block.b], ['mixed', 0, 1]);
      },
    );

    browser.test(
      'the shown report is by the chosen rules: one by others goes, and so it stays where the new check fails',
      async () => {
        const path = join(browser.folder, 'small.gguf');
        await writeFile(path, smallModel());
        const page = await browser.page();
        await reportOf(page, path);
        await page.evaluate(() => document.querySelector('#tab-report').click());
        await idle(page);
        const shown = () =>
          page.evaluate(() => ({
            chosen: document.querySelector('report-pane input[type=radio]:checked').value,
            summary: document.querySelector('#summary')?.textContent.replace(/\s+/g, ' ') ?? '',
            problem: document.querySelector('#not-checked')?.textContent.replace(/\s+/g, ' ') ?? '',
          }));
        const first = await shown();
        assert.equal(first.chosen, 'spec');
        assert.match(first.summary, /checked by the specification in/);
        assert.equal(first.problem, '');
        // The next question of a check is answered by a failure.
        await page.evaluate(() => {
          const { postMessage } = Worker.prototype;
          Worker.prototype.postMessage = function (message, ...rest) {
            const failing = message.question === 'validate';
            if (failing) Worker.prototype.postMessage = postMessage;
            const about = failing ? { ...message.about, profile: 'none' } : message.about;
            return postMessage.call(this, { ...message, about }, ...rest);
          };
        });
        await page.click('report-pane input[value=llama]');
        await page.waitForSelector('#not-checked');
        await idle(page);
        const failed = await shown();
        assert.deepEqual([failed.chosen, failed.summary], ['llama', '']);
        assert.match(failed.problem, /Not checked by the rules of llama\.cpp\. .*none.* Check/);
        await page.click('#not-checked button');
        await page.waitForSelector('#summary');
        await idle(page);
        const again = await shown();
        assert.deepEqual([again.chosen, again.problem], ['llama', '']);
        assert.match(again.summary, /checked by the rules of llama\.cpp in/);
        // Another file is checked by the rules that are chosen.
        await writeFile(join(browser.folder, 'other.gguf'), smallModel());
        assert.equal((await reportOf(page, join(browser.folder, 'other.gguf'))).profile, 'llama');
      },
    );

    // What does not depend on the engine is tried in one: a whole folder of files takes its time.
    const once = { skip: engine !== 'chrome' && 'tried in Chromium' };

    browser.test(
      'a check that fails says so, can be asked for again, and is made again when the tools come',
      once,
      async () => {
        const reload = async (page) => {
          const answer = browser.site.refuse(/tools[^/]*$/);
          await page.goto(browser.site.url);
          await page.waitForSelector('#tab-report');
          await idle(page);
          await page.evaluate(() => document.querySelector('#tab-report').click());
          await page.waitForSelector('#not-checked');
          assert.equal((await stateOf(page)).report, null);
          assert.match(
            await textOf(page, '#not-checked'),
            /^Not checked by the specification\. .*\w{3}.* Check$/,
          );
          answer();
        };
        const page = await browser.page({ open: false, expected: /503|tools/ });
        await reload(page);
        await page.click('#not-checked button');
        await page.waitForSelector('#summary');
        assert.equal(await page.$('#not-checked'), null);
        await page.goto('about:blank');
        await reload(page);
        await page.evaluate(() =>
          [...document.querySelectorAll('tensor-list li button')][1].click(),
        );
        await page.waitForSelector('#summary');
        const { tools, report } = await stateOf(page);
        assert.deepEqual([tools, report.ok], [true, true]);
      },
    );

    browser.test('the table sorts by every column and filters by words', once, async () => {
      const path = join(browser.folder, 'counts.gguf');
      await writeFile(path, hostileFiles()[3].bytes);
      const page = await browser.page();
      await reportOf(page, path);
      const rows = () => page.$$eval('report-pane tbody tr', (list) => list.length);
      const all = await rows();
      for (let i = 0; i < 5; i++) {
        await page.evaluate(
          (n) => document.querySelectorAll('report-pane th button')[n].click(),
          i,
        );
        await idle(page);
        const sorted = await page.$$eval('report-pane th', (list) => list.map((t) => t.ariaSort));
        assert.equal(
          sorted.findIndex((s) => s !== 'none'),
          i,
        );
        assert.equal(await rows(), all);
      }
      await page.type('report-pane input[type=search]', 'no such words');
      await idle(page);
      assert.equal(await rows(), 0);
      assert.match(await textOf(page, 'report-pane'), /No finding has these words\.$/);
    });

    browser.test(
      'what a long table leaves out is said, and found by the filter',
      once,
      async () => {
        const page = await browser.page();
        await page.waitForFunction(() => globalThis.packedPage.store.state.report);
        await page.evaluate(() => {
          const { store } = globalThis.packedPage;
          const [first] = store.state.report.findings;
          const findings = Array.from({ length: 1234 }, (_, i) => ({
            ...first,
            message: `no ${i}.`,
          }));
          store.set({ tab: 'report', report: { ...store.state.report, findings } });
        });
        await idle(page);
        const rows = () => page.$$eval('report-pane tbody tr', (list) => list.length);
        assert.equal(await rows(), 1000);
        assert.match(await textOf(page, '#cut'), /^The first 1,000 of 1,234 are listed/);
        await page.type('report-pane input[type=search]', 'no 1233.');
        await idle(page);
        assert.equal(await rows(), 1);
        assert.equal(await page.$('#cut'), null);
      },
    );

    browser.test(
      'every damaged file and the real model: the findings are those of the library',
      once,
      async (t) => {
        const expected = sharedFile('cases/gguf/EXPECTED.tsv');
        const real = sharedFile('gguf/silero-vad.gguf');
        if (!expected || !real) return t.skip('no folder of shared files');
        const page = await browser.page();
        const verdicts = (await readFile(expected, 'utf8')).trim().split('\n').slice(1);
        for (const line of verdicts) {
          const [name, spec] = line.split('\t');
          const path = join(dirname(expected), name);
          const { findings } = await agreesWithLibrary(page, path);
          if (spec === 'error' && !name.startsWith('data-'))
            assert.equal(findings[0]?.severity, 'error', name);
        }
        assert.ok(readdirSync(dirname(expected)).length > verdicts.length);
        await agreesWithLibrary(page, real);
        const { tensorsChecked } = await checkValues(page, real);
        assert.ok(tensorsChecked > 0);
      },
    );

    browser.test(
      'compare names the mistake, and the call that mends it is the library’s',
      async () => {
        const real = sharedFile('gguf/silero-vad.gguf');
        const path = join(browser.folder, 'small.gguf');
        await writeFile(path, smallModel());
        const page = await browser.page();
        for (const file of real ? [path, real] : [path]) {
          await reportOf(page, file);
          await page.evaluate(() => document.querySelector('#tab-compare').click());
          await idle(page);
          for (const [example, kind] of [
            ['file order', 'other-order'],
            ['relaid by the swapped label', 'swapped-label'],
            ['relaid twice', 'prepacked-twice'],
          ]) {
            await chooseAndPress(page, '#example', example);
            await page.waitForFunction(
              (n) => globalThis.packedPage.store.state.comparison?.name === n,
              {},
              `example: ${example}`,
            );
            await idle(page);
            const { comparison, grid } = await stateOf(page);
            assert.ok(comparison.disagreement, `${grid.tensor} ${example}`);
            const { kind: verdict, candidates, fix } = comparison.diagnosis;
            assert.ok(
              (await textOf(page, '#diagnosis')).startsWith(`${verdict.replaceAll('-', ' ')}: `),
            );
            // Some grids cannot tell two mistakes apart; then both are named.
            assert.ok([verdict, ...candidates].includes(kind), `${grid.tensor}: ${verdict}`);
            if (!fix) continue;
            assert.equal(await textOf(page, '#fix'), fix.replace(/\s+/g, ' '));
          }
        }
      },
    );
  });

  describeInBrowser(
    `a check that is cancelled in ${engine}`,
    engine,
    (browser) => {
      browser.test(
        'a check of values that is cancelled says so beside the report before it, and can be asked for again',
        async () => {
          const path = join(browser.folder, 'long.gguf');
          await writeSparseModel(path, [
            { name: 'long.weight', encoding: 'Q8_0', ne: [4096, 1 << 16] },
          ]);
          const page = await browser.page();
          const before = await reportOf(page, path);
          await page.evaluate(() => document.querySelector('#tab-report').click());
          await idle(page);
          await page.click('#check-values');
          await page.waitForFunction(() => globalThis.packedPage.store.state.progress?.done > 0);
          await page.keyboard.press('Escape');
          await page.waitForSelector('#not-checked');
          await idle(page);
          const { progress, report } = await stateOf(page);
          assert.equal(progress, null);
          assert.deepEqual(report, before);
          assert.match(
            await textOf(page, '#not-checked'),
            /^Values not checked by the specification\. Cancelled\. Check$/,
          );
          assert.match(await textOf(page, '#summary'), /values not looked at/);
          await page.click('#not-checked button');
          await page.waitForFunction(() => globalThis.packedPage.store.state.progress?.done > 0);
          assert.equal(await page.$('#not-checked'), null);
          await page.keyboard.press('Escape');
          await page.waitForSelector('#not-checked');
        },
      );
    },
    { serve: () => servePage({ inWorker: slowReads(/^validate .*"tensorData":true/) }) },
  );
}
