// The page's main line in both engines: a file goes in, the two orders come out, and a block pointed at
// in one is found in the other.
import { before, test } from 'node:test';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engines, idle, stateOf } from '../support/browser.js';
import { cellOf, extent, lineAxis, ORDERS, placeOf } from '../../web/src/picture/arrangement.js';
import { frameOf } from '../../web/src/picture/camera.js';
import { PALETTE, pixel } from '../../web/src/picture/colour-map.js';
import { buildPyramid } from '../../web/src/picture/pyramid.js';
import { drawPanel, hashPixels } from '../../web/src/picture/raster.js';
import { hostileFiles, smallModel } from '../support/gguf-files.js';
import { describeInBrowser } from '../support/in-browser.js';

/** What the inspector's number fields show: these places as soon as they do, or what stands there instead. */
const shownPlaces = (page, places) =>
  page.evaluate(async (wanted) => {
    const shown = () =>
      Object.fromEntries(
        Object.keys(wanted).map((id) => [id, document.getElementById(`block-${id}`).value]),
      );
    const arrived = () => Object.entries(shown()).every(([id, v]) => v === String(wanted[id]));
    const end = performance.now() + 20_000;
    while (!arrived() && performance.now() < end) await new Promise(requestAnimationFrame);
    return Object.fromEntries(Object.entries(shown()).map(([id, v]) => [id, Number(v)]));
  }, places);

/** A point in CSS pixels over the middle of a block in panel 0 or 1. */
async function pointOver(page, panel, block) {
  const { frame, axis, dpr, box } = await page.evaluate((i) => {
    const { frame, axis } = globalThis.packedPage.frames()[i];
    const { x, y } = document.querySelector('canvas').getBoundingClientRect();
    return { frame, axis, dpr: globalThis.packedPage.store.state.stage.dpr, box: { x, y } };
  }, panel);
  const { line, column } = cellOf(axis, block);
  return {
    x: box.x + (frame.x0 + (column + 0.5) * frame.sx) / dpr,
    y: box.y + (frame.y0 + (line + 0.5) * frame.sy) / dpr,
  };
}

const panelHash = (page, panel) =>
  page.evaluate((i) => globalThis.packedPage.ask('hash', { panel: i }), panel);

for (const engine of engines) {
  describeInBrowser(`the page in ${engine}`, engine, (browser) => {
    before(async () => {
      await writeFile(join(browser.folder, 'small.gguf'), smallModel());
    });

    browser.test(
      'a sample is there at once, with ne and [out, in] for every tensor, and the browser has no complaint',
      async () => {
        const page = await browser.page();
        const list = await page.$$eval('tensor-list li', (rows) =>
          rows.map((r) => r.textContent.replace(/\s+/g, ' ')),
        );
        assert.ok(list.length >= 5);
        assert.ok(
          list.some(
            (t) =>
              t.includes('seed.weight') &&
              t.includes('ne [96, 2]') &&
              t.includes('[out, in] [2, 96]'),
          ),
        );
        assert.equal((await stateOf(page)).tensor, 'rings.weight');
      },
    );

    browser.test(
      'a block pointed at in one panel is found in the other, fifty times in each direction',
      async () => {
        const page = await browser.page();
        const { grid } = await stateOf(page);
        let seed = 7;
        const random = (n) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % n;
        for (const panel of [0, 1]) {
          for (let i = 0; i < 50; i++) {
            const block = { o: random(grid.out), b: random(grid.blocksPerRow) };
            const { x, y } = await pointOver(page, panel, block);
            const wanted = {
              o: block.o,
              b: block.b,
              file: placeOf('ROW_MAJOR', grid, block),
              kernel: placeOf('INPUT_BLOCK_MAJOR', grid, block),
            };
            await page.mouse.move(x, y);
            assert.deepEqual(await shownPlaces(page, wanted), wanted);
          }
        }
      },
    );

    browser.test(
      'hover in one panel lights the block, its row and its column in the other',
      async () => {
        const page = await browser.page();
        const block = { o: 40, b: 21 };
        const at = await pointOver(page, 0, block);
        await page.mouse.move(at.x, at.y);
        await idle(page);
        // The pixels of the block's border in the kernel's panel, with and without what is drawn over them.
        const lit = await page.evaluate(
          (o, b) => globalThis.packedPage.ask('litAt', { panel: 1, o, b }),
          block.o,
          block.b,
        );
        assert.equal(lit.block, true);
        assert.equal(lit.row, true);
        assert.equal(lit.column, true);
        assert.equal(lit.elsewhere, false);
      },
    );

    browser.test('what the canvas holds is what Node draws', async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=rings.weight&o=3&b=4' });
      const { grid, cameras } = await stateOf(page);
      const base = Uint8Array.from(
        await page.evaluate(async () =>
          Array.from(
            await globalThis.packedPage.ask('levels', {
              key: globalThis.packedPage.store.state.grid.key,
              channel: 'scale',
            }),
          ),
        ),
      );
      const sunken = await page.evaluate(() => globalThis.packedPage.colours().sunken);
      for (const panel of [0, 1]) {
        const { hash, rect } = await panelHash(page, panel);
        const axis = lineAxis(ORDERS[panel]);
        const screen = {
          pixels: new Uint32Array(rect.width * rect.height),
          width: rect.width,
          height: rect.height,
        };
        const here = { x: 0, y: 0, width: rect.width, height: rect.height };
        drawPanel(screen, frameOf(here, extent(grid, axis), cameras[panel]), {
          grid,
          axis,
          channel: 'levels',
          levels: buildPyramid(base, grid),
          colourOrder: 'ROW_MAJOR',
          palette: PALETTE,
          background: pixel(...sunken),
        });
        assert.equal(hash, hashPixels(screen.pixels, rect.width, here), ORDERS[panel]);
      }
    });

    browser.test('a file opens by the button, and the right tensor of it by its name', async () => {
      const page = await browser.page();
      const input = await page.$('#file');
      await input.uploadFile(join(browser.folder, 'small.gguf'));
      await page.waitForFunction(
        () => globalThis.packedPage.store.state.source?.name === 'small.gguf',
      );
      await idle(page);
      const names = await page.$$eval('tensor-list .name', (all) => all.map((n) => n.textContent));
      assert.deepEqual(names, ['tall.weight', 'wide.weight', 'experts.weight', 'norm.weight']);
      await page.evaluate(() => [...document.querySelectorAll('tensor-list li button')][1].click());
      await idle(page);
      const { grid, tensor } = await stateOf(page);
      assert.equal(tensor, 'wide.weight');
      assert.deepEqual([grid.out, grid.blocksPerRow, grid.encoding], [3, 5, 'Q8_0']);
    });

    browser.test('a file opens by a drop', async () => {
      const page = await browser.page();
      // Only Chromium can be given a real drop; Firefox gets the same event from the page itself.
      if (engine === 'chrome') {
        const client = await page.createCDPSession();
        const at = { x: 400, y: 300 };
        const payload = {
          items: [],
          files: [join(browser.folder, 'small.gguf')],
          dragOperationsMask: 1,
        };
        for (const type of ['dragEnter', 'dragOver', 'drop']) {
          await client.send('Input.dispatchDragEvent', { type, ...at, data: payload });
        }
      } else {
        const bytes = Array.from(smallModel());
        await page.evaluate((list) => {
          const carried = new DataTransfer();
          carried.items.add(new File([Uint8Array.from(list)], 'small.gguf'));
          for (const type of ['dragenter', 'dragover', 'drop']) {
            document.body.dispatchEvent(
              new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }),
            );
          }
        }, bytes);
      }
      await page.waitForFunction(
        () => globalThis.packedPage.store.state.source?.name === 'small.gguf',
      );
      await idle(page);
      assert.equal((await stateOf(page)).dragging, false);
    });

    browser.test(
      'nothing can leave: page and worker are refused, every request was a GET to the own host',
      async () => {
        const page = await browser.page({ expected: /Content.Security.Policy|example\.com/i });
        const tries = await page.evaluate(() =>
          Promise.all([
            fetch('https://example.com/').then(
              () => 'sent',
              () => 'refused',
            ),
            globalThis.packedPage.ask('fetch', { url: 'https://example.com/' }),
          ]),
        );
        assert.equal(tries[0], 'refused');
        assert.match(tries[1], /^refused/);
        const sent = page.requests.filter(
          (r) => !/^(blob|data):/.test(r.url) && !r.url.startsWith('https://example.com'),
        );
        assert.ok(sent.length >= 4);
        for (const r of sent)
          assert.ok(
            r.method === 'GET' && r.url.startsWith(browser.site.url),
            `${r.method} ${r.url}`,
          );
      },
    );

    browser.test(
      'prepack: the end of the scrubber is the static picture, and the price comes from the trace',
      async () => {
        const page = await browser.page({ hash: '#sample=mixed&t=rings.weight' });
        const scrub = (t) =>
          page.evaluate((v) => {
            const slider = document.querySelector('#flight');
            slider.value = String(v);
            slider.dispatchEvent(new Event('input', { bubbles: true }));
            return globalThis.packedPage.idle();
          }, t);
        const still = (await panelHash(page, 1)).hash;
        await scrub(0);
        const empty = (await panelHash(page, 1)).hash;
        await scrub(0.5);
        const half = (await panelHash(page, 1)).hash;
        assert.equal(new Set([still, empty, half]).size, 3);
        await scrub(1);
        assert.equal((await panelHash(page, 1)).hash, still);
        await page.click('#prepack');
        await page.waitForFunction(() => {
          const { events, flight } = globalThis.packedPage.store.state;
          return events.length > 0 && flight === 1;
        });
        await idle(page);
        const { events, flight, grid } = await stateOf(page);
        const adapter = events.find((e) => e.kind === 'AdapterInserted');
        assert.equal(adapter.bytes, grid.out * grid.blocksPerRow * grid.blockBytes);
        assert.equal(flight, 1);
        assert.equal((await panelHash(page, 1)).hash, still);
        assert.match(
          await page.$eval('#price', (e) => e.textContent.replace(/\s+/g, ' ')),
          /AdapterInserted\s+209 KB in [\d.]+ (ms|µs)/,
        );
      },
    );

    browser.test(
      'the main story needs no pointer: tensor, walk, go to, prepack, wrong reading, link',
      async () => {
        const page = await browser.page();
        const press = async (...keys) => {
          for (const key of keys) await page.keyboard.press(key);
          await idle(page);
        };
        await press('/');
        await page.keyboard.type('ffn');
        await idle(page);
        await press('ArrowDown', 'Enter');
        assert.equal((await stateOf(page)).tensor, 'blk.0.ffn_down.weight');
        await page.evaluate(() => document.activeElement.blur());
        await press('ArrowDown', 'ArrowDown', 'ArrowRight');
        let state = await stateOf(page);
        assert.deepEqual([state.o, state.b], [2, 1]);
        await press('s', 'ArrowDown', 'ArrowRight');
        state = await stateOf(page);
        assert.deepEqual(
          [state.o, state.b],
          [3, 2],
          'in the kernel panel a line is a block column',
        );
        await press('End');
        assert.equal((await stateOf(page)).o, 127);
        await press('g');
        await page.keyboard.type('@129');
        await press('Enter');
        state = await stateOf(page);
        assert.deepEqual([state.o, state.b], [1, 1], 'flat 129 of kernel order');
        await page.evaluate(() => document.activeElement.blur());
        await press('p');
        await page.waitForFunction(() => globalThis.packedPage.store.state.events.length > 0);
        await press('x');
        assert.equal((await stateOf(page)).tab, 'wrong');
        await press('?');
        assert.equal(await page.$eval('dialog', (d) => d.open), true);
        await press('Escape');
        assert.equal(await page.$eval('dialog', (d) => d.open), false);
        await press('l');
        assert.match(page.url(), /#sample=mixed&t=blk\.0\.ffn_down\.weight&v=wrong&o=1&b=1/);
      },
    );

    browser.test('a link brings another reader to the same view', async () => {
      const hash =
        '#sample=mixed&t=blk.0.attn_q.weight&v=orders&o=33&b=2&z=20&c=identity&p=0.4&mine=kept';
      const page = await browser.page({ hash });
      const { tensor, o, b, cameras, channel, flight, tab } = await stateOf(page);
      assert.deepEqual(
        [tensor, o, b, cameras[0].z, channel, flight, tab],
        ['blk.0.attn_q.weight', 33, 2, 20, 'identity', 0.4, 'orders'],
      );
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction(() => location.hash.includes('b=1&'));
      assert.match(page.url(), /mine=kept/);
      await page.close();
      const odd = await browser.page({ hash: '#sample=mixed&o=-4&c=mauve&v=orders' });
      const { status } = await stateOf(odd);
      assert.ok(status.some((s) => s.tone === 'error' && s.text.includes('c=mauve')));
      await odd.close();
    });

    browser.test(
      'a hostile file gives its error with the place, and the page goes on',
      async () => {
        const page = await browser.page();
        for (const { name, bytes, says } of hostileFiles()) {
          const path = join(browser.folder, name);
          await writeFile(path, bytes);
          const before = (await stateOf(page)).status.length;
          await (await page.$('#file')).uploadFile(path);
          await page.waitForFunction(
            (n) =>
              globalThis.packedPage.store.state.status.length > n &&
              !globalThis.packedPage.store.state.progress,
            {},
            before,
          );
          await idle(page);
          const { status } = await stateOf(page);
          assert.equal(status.at(-1).tone, 'error', name);
          assert.match(status.at(-1).text, says, name);
        }
        await (await page.$('#file')).uploadFile(join(browser.folder, 'small.gguf'));
        await page.waitForFunction(
          () => globalThis.packedPage.store.state.source?.name === 'small.gguf',
        );
        await idle(page);
        assert.equal((await stateOf(page)).tensor, 'tall.weight');
      },
    );
  });
}
