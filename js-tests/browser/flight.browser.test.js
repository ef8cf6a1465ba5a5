// The prepack's flight is in the reader's hand.
import assert from 'node:assert/strict';
import { idle, stateOf, textOf } from '../support/browser.js';
import { timeOf } from '../../web/src/picture/flight.js';
import { slowFlights } from '../support/flights.js';
import { describeInBrowser } from '../support/in-browser.js';

describeInBrowser('flight', 'chrome', (browser) => {
  browser.test('on the prepack slider keys step by block, by line and to both ends', async () => {
    const page = await browser.page({ hash: '#sample=mixed&t=odd.weight' });
    await page.focus('#flight');
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
      await idle(page);
      return (await stateOf(page)).flight;
    };
    const [out, blocksPerRow] = [33, 3];
    const total = out * blocksPerRow;
    const said = () => page.$eval('#flight', (slider) => slider.getAttribute('aria-valuetext'));
    assert.equal(await press('Home'), 0);
    assert.equal(await said(), '0 of 99 blocks landed');
    assert.equal(await press('ArrowRight', 'ArrowRight'), timeOf(2, total));
    assert.equal(await said(), '2 of 99 blocks landed');
    for (let landed = 3; landed <= 9; landed++) {
      await press('ArrowRight');
      assert.equal(await said(), `${landed} of 99 blocks landed`);
    }
    await press(...Array(7).fill('ArrowLeft'));
    await page.keyboard.down('Shift');
    assert.equal(await press('ArrowRight'), timeOf(blocksPerRow, total));
    assert.equal(await press('ArrowRight', 'ArrowLeft'), timeOf(blocksPerRow, total));
    await page.keyboard.up('Shift');
    assert.equal(await press('ArrowLeft'), timeOf(blocksPerRow - 1, total));
    assert.equal(await press('End'), 1);
    assert.equal(await said(), '99 of 99 blocks landed');
  });

  browser.test('the story of a small grid is of the block in hand', async () => {
    const page = await browser.page({ hash: '#sample=mixed&t=seed.weight' });
    const told = () => textOf(page, 'seed-story');
    assert.match(await told(), /\(o 0, b 0\) of 2 × 3.* It stays where it is\..* 1 of 6/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await idle(page);
    assert.match(
      await told(),
      /\(o 1, b 1\).* 1 × 3 \+ 1 = 4\..* 1 × 2 \+ 1 = 3\. It moves from place 4 to place 3\..* 5 of 6/,
    );
    await page.$eval('seed-story button:last-of-type', (next) => next.click());
    await idle(page);
    const { o, b, flight } = await stateOf(page);
    assert.deepEqual([o, b, flight], [1, 2, timeOf(6, 6)]);
    assert.match(await told(), /6 of 6/);
  });

  browser.test(
    'the reader’s hand stops a flight: the slider, the steps, another tensor',
    async () => {
      const page = await browser.page({ hash: '#sample=mixed&t=seed.weight' });
      await page.evaluate(slowFlights, 100);
      const stops = {
        slider: () => {
          const slider = document.querySelector('#flight');
          slider.value = '0.1';
          slider.dispatchEvent(new Event('input', { bubbles: true }));
        },
        step: () => document.querySelector('seed-story button:last-of-type').click(),
        tensor: () => document.querySelectorAll('tensor-list li button')[4].click(),
      };
      for (const [what, stop] of Object.entries(stops)) {
        const before = (await stateOf(page)).events.length;
        await page.click('#prepack');
        await page.waitForFunction(
          (n) => {
            const { events, flight } = globalThis.packedPage.store.state;
            return events.length > n && flight > 0 && flight < 1;
          },
          { polling: 10 },
          before,
        );
        const held = await page.evaluate(async (text) => {
          await new Function(`(${text})()`)();
          await globalThis.packedPage.idle();
          return globalThis.packedPage.store.state.flight;
        }, String(stop));
        await new Promise((resolve) => setTimeout(resolve, 200));
        assert.equal((await stateOf(page)).flight, held, what);
        if (what === 'tensor') assert.equal(held, 1);
        else assert.ok(held < 1, `${what}: ${held}`);
      }
    },
  );
});
