// Bytes of a converter against the shown weight.
import { before } from 'node:test';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { load } from 'packed-weights';
import { idle, openFiles, stateOf, textOf } from '../support/browser.js';
import { sameNameOtherEncoding, smallModel, writeSparse } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

describeInBrowser('compare', 'chrome', (browser) => {
  before(async () => {
    await writeFile(join(browser.folder, 'small.gguf'), smallModel());
  });

  browser.test(
    'compare: the verdict is the library’s, word for word, and every misplaced block is marked',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=odd.weight&v=compare' });
      const pw = await load();
      const { grid } = await stateOf(page);
      const reference = Uint8Array.from(
        await page.evaluate(
          async (key) => Array.from(await globalThis.packedPage.ask('tensorBytes', { key })),
          grid.key,
        ),
      );
      const { out, blocksPerRow, encoding, inputDim } = grid;
      const kernel = pw.toKernelOrder(
        pw.pack(reference, { encoding, out, inputDim, order: 'ROW_MAJOR' }),
      ).bytes;
      const how = { kernelOrder: true, out, blocksPerRow, reference };
      const swapped = kernel.slice();
      swapped.set(kernel.subarray(0, grid.blockBytes), 5 * grid.blockBytes);
      swapped.set(kernel.subarray(5 * grid.blockBytes, 6 * grid.blockBytes), 0);
      const shifted = kernel.slice();
      shifted.copyWithin(1, 0, shifted.length - 1);
      const cases = {
        right: kernel,
        'file-order': reference,
        swapped,
        shifted,
        short: kernel.slice(0, -grid.blockBytes),
      };
      for (const [name, bytes] of Object.entries(cases)) {
        await writeFile(join(browser.folder, `${name}.bin`), bytes);
        await (await page.$('#candidate')).uploadFile(join(browser.folder, `${name}.bin`));
        await page.waitForFunction(
          (n) => globalThis.packedPage.store.state.comparison?.name === n,
          {},
          `${name}.bin`,
        );
        await idle(page);
        const expected = pw.disagreement(bytes, encoding, how);
        const { comparison, o, b } = await stateOf(page);
        assert.deepEqual(comparison.disagreement, JSON.parse(JSON.stringify(expected)), name);
        if (!expected) {
          assert.match(await textOf(page, '#verdict'), /^Agrees/);
          continue;
        }
        assert.equal(await textOf(page, '#disagreement'), expected.message);
        assert.equal(comparison.marked, expected.misplaced, name);
        if (expected.o !== null) assert.deepEqual([o, b], [expected.o, expected.b]);
      }
      await page.keyboard.press('n');
      await idle(page);
    },
  );

  browser.test(
    'compare: of two files at once the first is opened, the second held against it',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&v=compare' });
      const bytes = smallModel();
      const pw = await load();
      const file = await pw.openGguf(bytes);
      const { offset } = file.tensor('tall.weight');
      // Blocks (0, 0) and (0, 1).
      const first = bytes.slice(offset, offset + 18);
      bytes.copyWithin(offset, offset + 18, offset + 36);
      bytes.set(first, offset + 18);
      await writeFile(join(browser.folder, 'a-changed.gguf'), bytes);
      await page.click('compare-pane input[value=ROW_MAJOR]');
      const both = ['small.gguf', 'a-changed.gguf'].map((name) => join(browser.folder, name));
      await (await page.$('#candidate')).uploadFile(...both);
      await page.waitForFunction(() => globalThis.packedPage.store.state.comparison);
      await idle(page);
      const { source, tensor, comparison, tab } = await stateOf(page);
      assert.deepEqual(
        [source.name, tensor, tab, comparison.name, comparison.marked],
        ['small.gguf', 'tall.weight', 'compare', 'a-changed.gguf', 2],
      );
      assert.match(await textOf(page, '#disagreement'), /flat 0 belongs to block \(0,0\)/);
    },
  );

  browser.test('compare: what cannot be these bytes is refused before it is read', async () => {
    const page = await browser.page();
    await openFiles(browser, page, 'small.gguf');
    await page.evaluate(() => document.querySelector('#tab-compare').click());
    await idle(page);
    const huge = join(browser.folder, 'huge.bin');
    await writeSparse(huge, 6 * 2 ** 30);
    const other = join(browser.folder, 'other.gguf');
    await writeFile(other, sameNameOtherEncoding());
    for (const [path, says] of [
      [huge, /^TOO_LARGE: huge\.bin has 6442450944 bytes, the shown weight has 1998/],
      [other, /^SHAPE_MISMATCH: other\.gguf holds tall\.weight as F32, the shown weight is Q4_0/],
    ]) {
      await (await page.$('#candidate')).uploadFile(path);
      await page.waitForFunction(
        (name) => globalThis.packedPage.store.state.status.at(-1).text.includes(name),
        {},
        basename(path),
      );
      await idle(page);
      const { status, comparison } = await stateOf(page);
      assert.equal(status.at(-1).tone, 'error');
      assert.match(status.at(-1).text, says);
      assert.equal(comparison, null);
    }
  });
});
