// Every pane beyond the two orders: wrong reading, orientation, export, cancel, offline.
import { before } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'packed-weights';
import { chooseAndPress, idle, openFiles, stateOf, textOf } from '../support/browser.js';
import { displacedCount, extent, misreadBlock } from '../../web/src/picture/arrangement.js';
import { FIT, frameOf } from '../../web/src/picture/camera.js';
import { PALETTE } from '../../web/src/picture/colour-map.js';
import { buildPyramid } from '../../web/src/picture/pyramid.js';
import { drawPanel } from '../../web/src/picture/raster.js';
import { smallModel, writeSparseModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

describeInBrowser('panes', 'chrome', (browser) => {
  before(async () => {
    await writeFile(join(browser.folder, 'small.gguf'), smallModel());
  });

  browser.test(
    'wrong reading: counts and largest difference are those of a plain loop over decoded values',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=odd.weight&v=wrong' });
      const { grid, wrong } = await stateOf(page);
      const pw = await load();
      const values = [];
      for (let o = 0; o < grid.out; o++) {
        for (let b = 0; b < grid.blocksPerRow; b++) {
          const bytes = await page.evaluate(
            (key, o, b) =>
              globalThis.packedPage.ask('block', { key, o, b }).then((x) => Array.from(x.bytes)),
            grid.key,
            o,
            b,
          );
          values.push(pw.decode(Uint8Array.from(bytes), grid.encoding));
        }
      }
      let largest = 0;
      let displaced = 0;
      for (let o = 0; o < grid.out; o++) {
        for (let b = 0; b < grid.blocksPerRow; b++) {
          const found = misreadBlock(grid, { o, b });
          if (found.o !== o || found.b !== b) displaced++;
          const [right, other] = [
            values[o * grid.blocksPerRow + b],
            values[found.o * grid.blocksPerRow + found.b],
          ];
          right.forEach((v, i) => (largest = Math.max(largest, Math.abs(v - other[i]))));
        }
      }
      assert.equal(displaced, displacedCount(grid));
      assert.equal(wrong.largest.difference, largest);
      const facts = await textOf(page, '#wrong-facts');
      assert.match(facts, new RegExp(`${displaced} of ${grid.out * grid.blocksPerRow} `));
      assert.match(facts, /finite yes crash no right no/);
    },
  );

  browser.test(
    'wrong reading: one block per row agrees, and the page says why tests must be wider',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=one-block-wide.weight&v=wrong' });
      assert.match(
        await textOf(page, '#wrong-facts'),
        /0 of 64 .* largest difference of a value none .* yes, by luck/,
      );
      assert.match(await textOf(page, 'wrong-pane'), /three blocks wide/);
      const hashes = await page.evaluate(async () => {
        const slider = document.querySelector('#divider');
        const list = [];
        for (const v of ['0', '1']) {
          slider.value = v;
          slider.dispatchEvent(new Event('input', { bubbles: true }));
          await globalThis.packedPage.idle();
          list.push((await globalThis.packedPage.ask('hash', { panel: 0 })).hash);
        }
        return list;
      });
      assert.equal(hashes[0], hashes[1], 'both sides of the divider show the same');
    },
  );

  browser.test(
    'orientation: the refusal is the library’s own text, the fix mends it, and no byte changed',
    async () => {
      const page = await browser.page();
      await openFiles(browser, page, 'small.gguf');
      const pw = await load();
      let own = '';
      try {
        pw.requireOutIn(96, 37, 'Q4_0');
      } catch (error) {
        own = error.message;
      }
      const before = await textOf(page, '#checksum');
      await page.click('input[name=label][value=AS_STORED]');
      await idle(page);
      assert.equal(await textOf(page, '#refusal'), own);
      assert.match(await textOf(page, '.refusal'), /LOOKS_TRANSPOSED/);
      assert.equal(await textOf(page, '#checksum'), before);
      await page.click('.refusal button');
      await idle(page);
      assert.equal((await stateOf(page)).label, 'OUT_IN');
      assert.equal(await page.$('#refusal'), null);
      assert.equal(await textOf(page, '#checksum'), before);
    },
  );

  browser.test(
    'a stack of experts is shown slice by slice, each at its own place in the file',
    async () => {
      const page = await browser.page();
      await openFiles(browser, page, 'small.gguf');
      await page.evaluate(() => [...document.querySelectorAll('tensor-list li button')][2].click());
      await idle(page);
      const first = (await stateOf(page)).grid;
      assert.equal(first.slices, 4);
      await page.evaluate(() => {
        const field = document.querySelector('orientation-box input[type=number]');
        field.value = '3';
        field.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await page.waitForFunction(() => globalThis.packedPage.store.state.grid?.slice === 3);
      await idle(page);
      const { grid, block } = await stateOf(page);
      assert.equal(grid.offset - first.offset, 3 * 6 * 3 * 34);
      assert.equal(Object.keys(block.bytes).length, 34);
    },
  );

  browser.test('split sets open together in any order, and a missing shard is named', async () => {
    const { ggufFile } = await import('../support/gguf-writer.js');
    const bytes = new Uint8Array(34 * 6).fill(1);
    const part = (name, i, tensors) =>
      ggufFile(
        { 'general.architecture': 'test', 'split.no': i, 'split.count': 2 },
        tensors.map((t) => ({ name: t, ne: [96, 2], ggmlType: 8, bytes })),
      );
    await writeFile(join(browser.folder, 'm-00001-of-00002.gguf'), part('a', 0, ['first.weight']));
    await writeFile(join(browser.folder, 'm-00002-of-00002.gguf'), part('b', 1, ['second.weight']));
    const page = await browser.page();
    await (await page.$('#file')).uploadFile(join(browser.folder, 'm-00002-of-00002.gguf'));
    await page.waitForFunction(() =>
      globalThis.packedPage.store.state.status.at(-1)?.text.includes('m-00001-of-00002.gguf'),
    );
    await (
      await page.$('#file')
    ).uploadFile(
      join(browser.folder, 'm-00002-of-00002.gguf'),
      join(browser.folder, 'm-00001-of-00002.gguf'),
    );
    await page.waitForFunction(() => globalThis.packedPage.store.state.source?.shards === 2);
    await idle(page);
    await page.evaluate(() => [...document.querySelectorAll('tensor-list li button')][1].click());
    await idle(page);
    assert.equal((await stateOf(page)).grid.tensor, 'second.weight');
  });

  browser.test('pinning: the second block has its distance in bytes in both memories', async () => {
    const page = await browser.page({ hash: '#sample=mixed&t=rings.weight&o=2&b=3' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await idle(page);
    assert.match(
      await textOf(page, '#distance'),
      /\(2, 3\): \+34 B \(34\) in the file, \+3\.26 KB \(3,264\) in the kernel buffer/,
    );
    await page.keyboard.press('Escape');
    await idle(page);
    assert.equal((await stateOf(page)).pin, null);
  });

  browser.test('at 320 px every byte of a block is seen', async () => {
    const page = await browser.page({
      width: 320,
      height: 640,
      hash: '#sample=million&o=1000&b=900',
    });
    const over = await page.$eval('.bytes .scroll', (dump) => dump.scrollWidth - dump.clientWidth);
    assert.ok(over <= 0, `${over} px are cut`);
  });

  browser.test('a file opens without any network after the first load', async () => {
    const page = await browser.page();
    await page.setOfflineMode(true);
    const before = page.requests.length;
    await openFiles(browser, page, 'small.gguf');
    await page.click('#prepack');
    await page.waitForFunction(() => globalThis.packedPage.store.state.events.length > 0);
    await idle(page);
    assert.equal(page.requests.slice(before).filter((r) => r.url.startsWith('http')).length, 0);
  });

  browser.test('a forced instruction set is the one that is used, and said', async () => {
    for (const isa of ['simd128', 'scalar']) {
      const page = await browser.page({ query: `?isa=${isa}` });
      assert.equal((await stateOf(page)).isa, isa);
      assert.match(await textOf(page, 'help-dialog'), new RegExp(`Instructions used: ${isa}\\.`));
    }
  });

  browser.test(
    'exports: PNG of one pixel per block, SVG, JSON, CSV, prepacked bytes, all under their names',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=odd.weight&o=4&b=2' });
      const target = await mkdtemp(join(browser.folder, 'out-'));
      const client = await page.createCDPSession();
      await client.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: target });
      const take = async (choice, name) => {
        await chooseAndPress(page, '#export', choice);
        for (let i = 0; i < 4000; i++) {
          if ((await readdir(target)).includes(name)) return readFile(join(target, name));
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
        throw new Error(`${name} did not come; there is ${await readdir(target)}`);
      };
      const stem = 'sample-mixed.odd.weight';
      const png = await take('png-exact', `${stem}.ROW_MAJOR.png`);
      assert.equal(png.subarray(1, 4).toString(), 'PNG');
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [3, 33]);
      assert.deepEqual(await pixelsOf(page, png), await oddPanel(page));
      const svg = (await take('svg', `${stem}.ROW_MAJOR.svg`)).toString();
      assert.equal(svg.match(/<rect /g).length, 99);
      assert.match(svg, /viewBox="0 0 48 528"/);
      const problem = (text) =>
        new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror');
      assert.equal(await page.evaluate(`(${problem})(${JSON.stringify(svg)})`), null);
      const block = JSON.parse((await take('block', `${stem}.block-4-2.json`)).toString());
      assert.deepEqual(
        [block.o, block.b, block.places.ROW_MAJOR, block.places.INPUT_BLOCK_MAJOR],
        [4, 2, 14, 70],
      );
      assert.equal(block.values.length, 32);
      const csv = (await take('csv', `${stem}.permutation.csv`)).toString();
      assert.equal(csv.trim().split('\n').length, 100);
      const bin = await take('bin', `${stem}.INPUT_BLOCK_MAJOR.bin`);
      assert.deepEqual([...bin.subarray(70 * 18, 71 * 18)], block.bytes);
    },
  );

  browser.test(
    'exports: what is too large for a PNG, an SVG or a table is refused with its size, and nothing is saved',
    async () => {
      const tall = [{ name: 'tall.weight', encoding: 'Q4_0', ne: [32 * 64, 16385] }];
      await writeSparseModel(join(browser.folder, 'tall.gguf'), tall);
      const page = await browser.page();
      await openFiles(browser, page, 'tall.gguf');
      for (const [choice, said] of [
        ['png-exact', /64 x 16385 pixels, and browsers draw at most 16384 a side/],
        ['svg', /1048640 blocks are more than the 4096 of an SVG/],
        ['csv', /1048640 blocks are more than 1048576 lines/],
      ]) {
        await chooseAndPress(page, '#export', choice);
        await page.waitForFunction(
          (pattern) => new RegExp(pattern).test(document.body.innerText),
          {},
          said.source,
        );
        assert.doesNotMatch(await textOf(page, 'body'), /Saved /, choice);
      }
    },
  );
});

/** What a browser makes of a PNG. @param {any} page @param {Buffer} png */
async function pixelsOf(page, png) {
  const bytes = await page.evaluate(async (base64) => {
    const content = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([content], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return Array.from(context.getImageData(0, 0, bitmap.width, bitmap.height).data);
  }, png.toString('base64'));
  return [...new Uint32Array(Uint8Array.from(bytes).buffer)];
}

/** The file's panel of odd.weight as Node draws it, a pixel a block. */
async function oddPanel(page) {
  const { grid } = await stateOf(page);
  const base = Uint8Array.from(
    await page.evaluate(
      async (key) =>
        Array.from(await globalThis.packedPage.ask('levels', { key, channel: 'scale' })),
      grid.key,
    ),
  );
  const screen = { pixels: new Uint32Array(3 * 33), width: 3, height: 33 };
  const frame = frameOf({ x: 0, y: 0, width: 3, height: 33 }, extent(grid, 'o'), FIT);
  const levels = buildPyramid(base, grid);
  const rules = { channel: 'levels', levels, colourOrder: 'ROW_MAJOR', palette: PALETTE };
  drawPanel(screen, frame, { grid, axis: 'o', ...rules, background: 0 });
  return [...screen.pixels];
}
