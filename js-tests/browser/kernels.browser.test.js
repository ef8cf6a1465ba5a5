// The kernels in real browsers: both modules give the scalar kernels' bits there as well. Relaxed
// instructions differ between engines, so this is where kernels chosen wrongly would show.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/browser.js';
import { servePackage } from '../support/package-server.js';
import { describeInBrowser } from '../support/in-browser.js';

/** Runs in the page. */
async function compare() {
  const { load } = await import('/dist/index.js');
  const { compareKernels } = await import('/js-tests/support/kernel-comparison.js');
  return { best: (await load()).isa, ...(await compareKernels(load)) };
}

for (const engine of engines) {
  describeInBrowser(
    engine,
    engine,
    (browser) => {
      browser.test(
        "kernels: every module has the scalar kernels' bits in this browser",
        async (t) => {
          const page = await browser.page({ open: false });
          await page.goto(browser.site.url);
          const { best, isas, compared, wrong } = await page.evaluate(compare);
          t.diagnostic(`${isas.join(', ')}; load() took ${best}; ${compared} products compared`);
          assert.deepEqual(wrong.slice(0, 10), []);
          assert.equal(best, isas.at(-1), 'load() takes the best that runs');
          assert.ok(compared >= 25 * 200 * (isas.length - 1), `only ${compared} compared`);
        },
      );
    },
    { serve: servePackage },
  );
}
