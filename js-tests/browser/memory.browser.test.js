// What the page takes of the memory while it shows a large weight.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { hold } from '../support/budget.js';
import { idle, stateOf } from '../support/browser.js';
import { servePage } from '../support/server.js';
import { describeInBrowser } from '../support/in-browser.js';
import { writeSparseModel } from '../support/gguf-files.js';

// Only an isolated page may ask how much memory it takes, and only Chromium answers.
const isolated = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

describeInBrowser(
  'memory',
  'chrome',
  (browser) => {
    browser.test('memory beyond the file, 16.4 million blocks', async () => {
      const path = join(browser.folder, 'model.gguf');
      await writeSparseModel(path, [
        { name: 'token_embd.weight', encoding: 'Q8_0', ne: [4096, 128_256] },
      ]);
      const page = await browser.page({ open: false });
      await page.evaluateOnNewDocument(spyOnWasm);
      await page.goto(browser.site.url);
      await idle(page);
      await (await page.$('#file')).uploadFile(path);
      await page.waitForFunction(
        () => globalThis.packedPage.store.state.grid?.tensor === 'token_embd.weight',
      );
      const { grid } = await stateOf(page);
      const blocks = grid.out * grid.blocksPerRow;
      assert.equal(blocks, 128_256 * 128);
      for (const [what, show] of [
        ['both orders', { tab: 'orders' }],
        ['a prepack under way', { flight: 0.5 }],
        ['the wrong reading', { tab: 'wrong', flight: 1 }],
      ]) {
        await page.evaluate((state) => globalThis.packedPage.store.set(state), show);
        await idle(page);
        const bytes = (await scriptBytes(page)) + (await wasmBytes(page));
        assert.ok(bytes > 1.3 * blocks, 'a byte for each block and its pyramid are counted');
        const promise = 64 + (1.35 * blocks) / 1e6;
        hold(`memory, ${what}`, bytes / 1e6, 'MB', Math.round(promise), 1.5 * promise);
      }
    });
  },
  { serve: () => servePage({ headers: isolated }) },
);

/** Of all scripts and what they hold, after a collection of garbage. */
function scriptBytes(page) {
  return page.evaluate(async () => (await performance.measureUserAgentSpecificMemory()).bytes);
}

/** Of the memories of WebAssembly, which are not counted there. */
async function wasmBytes(page) {
  const bytes = await page.evaluate(
    () =>
      new Promise((resolve) => {
        globalThis.spiedWorker.addEventListener('message', ({ data }) => {
          if (data.kind === 'wasm bytes') resolve(data.bytes);
        });
        globalThis.spiedWorker.postMessage({ kind: 'wasm bytes' });
      }),
  );
  assert.ok(bytes > 0, 'the worker has a memory');
  return bytes;
}

/** Has the page's worker tell how large its memories of WebAssembly are. Runs in the page, before its scripts. */
function spyOnWasm() {
  const inWorker = () => {
    const memories = new Set();
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...given) => {
      const instance = await instantiate(...given);
      for (const each of Object.values(instance.exports)) {
        if (each instanceof WebAssembly.Memory) memories.add(each);
      }
      return instance;
    };
    addEventListener('message', ({ data: { kind } }) => {
      if (kind !== 'wasm bytes') return;
      const bytes = [...memories].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
      postMessage({ kind, bytes });
    });
  };
  const { Blob, Worker } = globalThis;
  globalThis.Blob = class extends Blob {
    constructor(parts, options) {
      const script = options?.type === 'text/javascript';
      super(script ? [...parts, `(${inWorker})()`] : parts, options);
    }
  };
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      globalThis.spiedWorker = this;
    }
  };
}
