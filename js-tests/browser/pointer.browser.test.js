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
  });
}
