// Where the reader's own colours are forced: what is told apart by a colour is told apart still, on the canvas too.
import assert from 'node:assert/strict';
import { idle } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';

/** What lies over the picture: the block in hand, its row and its column, a pinned block. */
const MARKS = ['ink', 'axisO', 'axisB', 'accent'];

/** Chromium is told so for a page, Firefox for itself. */
const ENGINES = {
  chrome: {
    async force(page) {
      const client = await page.createCDPSession();
      const features = [{ name: 'forced-colors', value: 'active' }];
      await client.send('Emulation.setEmulatedMedia', { features });
      await idle(page);
    },
  },
  firefox: { preferences: { 'browser.display.document_color_use': 2 }, force: idle },
};

/** Runs in the page: the colours that the canvas is drawn with, and how many of its pixels have each. */
async function canvasColours() {
  const colours = globalThis.packedPage.colours();
  const canvas = document.querySelector('canvas');
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const count = ([r, g, b]) => {
    let found = 0;
    for (let i = 0; i < data.length; i += 4) {
      const apart = Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b);
      if (apart < 36) found++;
    }
    return found;
  };
  const pixels = Object.entries(colours).map(([name, colour]) => [name, count(colour)]);
  return { colours, pixels: Object.fromEntries(pixels) };
}

/** @param {number[]} a @param {number[]} b */
const apart = (a, b) => a.reduce((sum, v, i) => sum + Math.abs(v - b[i]), 0);

for (const [engine, { force, preferences }] of Object.entries(ENGINES)) {
  describeInBrowser(
    `forced colours in ${engine}`,
    /** @type {import('../support/browser.js').Engine} */ (engine),
    (browser) => {
      const forcedPage = async (hash) => {
        const page = await browser.page({ hash });
        await force(page);
        const forced = await page.evaluate(() => matchMedia('(forced-colors: active)').matches);
        assert.equal(forced, true);
        return page;
      };

      browser.test('marks on the canvas differ from each other and from its ground', async () => {
        const page = await forcedPage('#sample=mixed&t=seed.weight&o=0&b=1');
        await page.keyboard.press('Enter');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowDown');
        await idle(page);
        const { colours, pixels } = await page.evaluate(canvasColours);
        const told = [...MARKS, 'error', 'ground'];
        for (const [i, one] of told.entries()) {
          for (const other of told.slice(i + 1)) {
            const far = apart(colours[one], colours[other]);
            assert.ok(far > 60, `${one} ${colours[one]} and ${other} ${colours[other]}`);
          }
        }
        for (const mark of MARKS) assert.ok(pixels[mark] > 40, `${mark}: ${pixels[mark]} pixels`);
      });

      browser.test(
        'the legend shows its colours, and only the chosen tab is underlined',
        async () => {
          const page = await forcedPage('#sample=mixed&t=rings.weight');
          const { swatches, bars, tabs, ground } = await page.evaluate(() => {
            const styles = (selector, key) =>
              [...document.querySelectorAll(selector)].map((each) => getComputedStyle(each)[key]);
            return {
              swatches: styles('.legend i', 'backgroundColor'),
              bars: styles('.strip rect', 'fill'),
              tabs: styles('[role=tab]', 'borderBottomColor'),
              ground: getComputedStyle(document.body).backgroundColor,
            };
          });
          assert.equal(new Set(swatches).size, swatches.length, swatches.join(' '));
          for (const bar of bars) assert.ok(swatches.includes(bar), bar);
          const others = new Set(tabs.slice(1));
          assert.equal(others.size, 1);
          assert.ok(!others.has(tabs[0]), `${tabs} on ${ground}`);
        },
      );

      browser.test('bytes of different fields have different borders', async () => {
        const page = await forcedPage('#sample=mixed&t=blk.0.ffn_down.weight');
        await page.waitForSelector('.fields i:nth-child(1)');
        const borders = await page.evaluate(() => {
          const of = (each) => {
            const { borderTop, borderBottom } = getComputedStyle(each);
            return `${borderTop} ${borderBottom}`.replaceAll(/rgba?\([^)]*\)/g, '');
          };
          const fields = [...document.querySelectorAll('.fields i')];
          return fields.map((field) => [
            of(field),
            ...new Set([...document.querySelectorAll(`.dump .${field.className}`)].map(of)),
          ]);
        });
        assert.ok(borders.length > 1);
        assert.equal(new Set(borders.map(([first]) => first)).size, borders.length);
        for (const [field, ...bytes] of borders) assert.deepEqual(bytes, [field]);
      });
    },
    { preferences },
  );
}
