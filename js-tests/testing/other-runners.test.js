// packed-weights/testing where other runners run tests: jest links modules itself, inside a context of node:vm
// with globals of its own; vitest runs tests in worker threads and sends errors to the main one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const entry = new URL('../../dist/testing/index.js', import.meta.url);

test('assertAgrees: in a worker, as vitest runs tests, the whole message reaches the main thread', async () => {
  const code = `
    import { parentPort } from 'node:worker_threads';
    import { assertAgrees, fixtures } from ${JSON.stringify(entry.href)};
    assertAgrees(fixtures.kernelOrder('Q4_K'), 'Q4_K', { kernelOrder: true });
    try {
      assertAgrees(fixtures.canonical('Q4_K'), 'Q4_K', { kernelOrder: true });
    } catch (error) {
      const { name, message, stack, code, diagnosis, expected, actual } = error;
      parentPort.postMessage({ name, message, stack, code, diagnosis, expected, actual });
    }`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const error = await new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject).once('exit', reject);
  });
  assert.equal(error.code, 'DISAGREES');
  assert.equal(error.diagnosis.kind, 'other-order');
  assert.match(error.message, /belongs +stands there[\s\S]+to mend it: pw\.toKernelOrder/);
  assert.match(error.stack, /diagnosis: other-order/);
});

test('assertAgrees: linked inside a vm context, as jest links modules, with globals of that context', () => {
  const program = `
    import { readFile } from 'node:fs/promises';
    import vm from 'node:vm';
    const { console, process, URL, performance, TextDecoder, TextEncoder, AbortController, fetch, Blob } = globalThis;
    const context = vm.createContext({ console, process, URL, performance, TextDecoder, TextEncoder, AbortController, fetch, Blob });
    const made = new Map();
    async function native(specifier) {
      const names = await import(specifier);
      return new vm.SyntheticModule(Object.keys(names), function () {
        for (const name of Object.keys(names)) this.setExport(name, names[name]);
      }, { context });
    }
    function link(specifier, from) {
      const url = specifier.startsWith('node:') ? specifier
        : specifier === 'packed-weights' ? new URL('../index.js', ${JSON.stringify(entry.href)}).href
        : new URL(specifier, from.identifier).href;
      if (!made.has(url)) made.set(url, url.startsWith('node:') ? native(url) : fromFile(url));
      return made.get(url);
    }
    async function fromFile(url) {
      return new vm.SourceTextModule(await readFile(new URL(url), 'utf8'), {
        context,
        identifier: url,
        initializeImportMeta: (meta) => { meta.url = url; },
        importModuleDynamically: async (specifier, from) => {
          const module = await link(specifier, from);
          if (module.status === 'unlinked') await module.link(link);
          if (module.status === 'linked') await module.evaluate();
          return module;
        },
      });
    }
    const spec = new vm.SourceTextModule(\`
      import { assertAgrees, fixtures, PackedError } from ${JSON.stringify(entry.href)};
      assertAgrees(fixtures.kernelOrder('Q4_K'), 'Q4_K', { kernelOrder: true });
      try {
        assertAgrees(fixtures.canonical('Q4_K'), 'Q4_K', { kernelOrder: true });
      } catch (error) {
        if (!(error instanceof PackedError) || !(error instanceof Error)) throw error;
        console.log(error.message);
      }\`, { context, identifier: ${JSON.stringify(import.meta.url)} });
    await spec.link(link);
    await spec.evaluate();`;
  const words = [
    '--experimental-vm-modules',
    '--no-warnings',
    '--input-type=module',
    '-e',
    program,
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /first block in the wrong place: flat 1 belongs to block \(1,0\)/);
  assert.match(stdout, /diagnosis: other-order/);
});
