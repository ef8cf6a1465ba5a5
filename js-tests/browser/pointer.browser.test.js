// What a pointer does to the picture, beyond pointing.
import assert from 'node:assert/strict';
import { engines, idle, stateOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';

for (const engine of engines) {
  describeInBrowser(`pointer in ${engine}`, engine, (browser) => {
    browser.test(
      'the pointer zooms with Ctrl and wheel, scrolls, pans by a drag and fits by a double click',
      async () => {
        const page = await browser.page({ hash: '#sample=mixed&t=rings.weight' });
        const cameras = async () => (await stateOf(page)).cameras;
        const [x, y] = await page.$eval('canvas', (canvas) => {
          const box = canvas.getBoundingClientRect();
          return [box.x + 150, box.y + 150];
        });
        await page.mouse.move(x, y);
        await page.keyboard.down('Control');
        for (let i = 0; i < 6; i++) await page.mouse.wheel({ deltaY: -240 });
        await page.keyboard.up('Control');
        await idle(page);
        const [near] = await cameras();
        assert.ok(near.z > 8, `${near.z} px a block`);
        await page.mouse.wheel({ deltaY: 60 });
        await idle(page);
        const [scrolled] = await cameras();
        assert.ok(scrolled.line > near.line && scrolled.z === near.z);
        await page.mouse.down();
        await page.mouse.move(x - 60, y - 40, { steps: 4 });
        await page.mouse.up();
        await idle(page);
        const [panned] = await cameras();
        assert.ok(panned.line > scrolled.line && panned.column > scrolled.column);
        await page.mouse.click(x, y, { count: 2 });
        await idle(page);
        assert.deepEqual(
          (await cameras()).map(({ z }) => z),
          [0, 0],
        );
      },
    );

    browser.test(
      'two fingers zoom about what lies between them, and the one that stays pans',
      async () => {
        const page = await browser.page({ hash: '#sample=mixed&t=rings.weight' });
        const { x, y } = await page.$eval('canvas', (canvas) => {
          const box = canvas.getBoundingClientRect();
          return { x: box.x + 160, y: box.y + 200 };
        });
        /** What the file's panel shows between the fingers, in cells, and how large its cells are. */
        const between = () =>
          page.evaluate(
            (x, y) => {
              const { x0, y0, sx, sy } = globalThis.packedPage.frames()[0].frame;
              const { cameras, stage } = globalThis.packedPage.store.state;
              const box = document.querySelector('canvas').getBoundingClientRect();
              const cell = [
                ((x - box.x) * stage.dpr - x0) / sx,
                ((y - box.y) * stage.dpr - y0) / sy,
              ];
              return { cell, zooms: cameras.map(({ z }) => z), line: cameras[0].line };
            },
            x,
            y,
          );
        const apart = (fingers, distance) =>
          Promise.all([
            fingers[0].move(x - distance, y - distance),
            fingers[1].move(x + distance, y + distance),
          ]).then(() => idle(page));
        const before = await between();
        const touch = page.touchscreen;
        const fingers = [
          await touch.touchStart(x - 20, y - 20),
          await touch.touchStart(x + 20, y + 20),
        ];
        await apart(fingers, 60);
        const near = await between();
        await apart(fingers, 120);
        const nearer = await between();
        assert.ok(near.zooms[0] > 0, `${before.zooms} became ${near.zooms}`);
        assert.ok(Math.abs(nearer.zooms[0] / near.zooms[0] - 2) < 0.01, `${nearer.zooms}`);
        for (const { zooms, cell } of [near, nearer]) {
          assert.equal(zooms[0], zooms[1], 'both panels keep the same zoom');
          cell.forEach((at, i) =>
            assert.ok(Math.abs(at - before.cell[i]) < 0.1, `${before.cell}: ${cell}`),
          );
        }
        await apart(fingers, 60);
        assert.ok(Math.abs((await between()).zooms[0] / near.zooms[0] - 1) < 0.01);
        await fingers[0].end();
        await fingers[1].move(x + 60, y - 40);
        await idle(page);
        const panned = await between();
        assert.ok(panned.line > near.line + 1, `${near.line} became ${panned.line}`);
        await fingers[1].end();
        await idle(page);
        assert.equal((await stateOf(page)).pin, null);
      },
    );
  });
}
