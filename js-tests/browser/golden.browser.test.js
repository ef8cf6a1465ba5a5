// The published package in real browsers: every encoding decodes to the reference's bits there as well, and
// the formats with one definition are quantized to its bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/browser.js';
import { manifest } from '../support/golden.js';
import { servePackage } from '../support/package-server.js';
import { describeInBrowser } from '../support/in-browser.js';

/** Runs in the page: what differs, as text; empty when nothing does. */
async function compare({ encodings, rows, blocksPerRow }) {
  const { load } = await import('/dist/index.js');
  const pw = await load();
  const bytesOf = async (name) =>
    new Uint8Array(await (await fetch(`/native-tests/golden/${name}`)).arrayBuffer());
  const same = (a, b) => {
    const [x, y] = [a, b].map((v) => new Uint8Array(v.buffer, v.byteOffset, v.byteLength));
    return x.length === y.length && x.every((byte, i) => byte === y[i]);
  };
  const searching = ['Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K', 'IQ4_NL', 'IQ4_XS'];
  const wrong = [];
  let checked = 0;
  for (const { name, blockSize } of encodings) {
    const inputDim = blocksPerRow * blockSize;
    for (const [from, to] of [
      ['arbitrary.bin', 'arbitrary.f32'],
      ['quantized.bin', 'decoded.f32'],
    ]) {
      const bytes = await bytesOf(`${name}.${from}`);
      const expected = await bytesOf(`${name}.${to}`);
      const packed = pw.pack(bytes, { encoding: name, out: rows, inputDim, order: 'ROW_MAJOR' });
      if (!same(pw.decode(bytes, name), expected)) wrong.push(`${name}.${from}`);
      const values = new Float32Array(expected.buffer);
      for (const ordered of [packed, pw.toKernelOrder(packed)]) {
        const view = pw.view(ordered);
        const where = `${name}.${from} in ${ordered.order}`;
        if (!same(view.toFloats(), expected)) wrong.push(where);
        for (let o = 0; o < rows; ++o) {
          for (const i of [0, blockSize - 1, blockSize, inputDim - 1]) {
            const right = Object.is(view.get(o, i), values[o * inputDim + i]);
            if (!right) wrong.push(`${where}: get(${o}, ${i})`);
          }
        }
        view.dispose();
      }
      ++checked;
    }
    if (!pw.encodings[name].quantizable || searching.includes(name)) continue;
    const source = new Float32Array((await bytesOf(`${name}.source.f32`)).buffer);
    const { bytes } = pw.quantize(source, name, { inputDim });
    if (!same(bytes, await bytesOf(`${name}.quantized.bin`))) wrong.push(`${name} quantized`);
    ++checked;
  }
  return { wrong, checked };
}

for (const engine of engines) {
  describeInBrowser(
    engine,
    engine,
    (browser) => {
      browser.test('golden: every encoding holds to the reference in this browser', async () => {
        const page = await browser.page({ open: false });
        await page.goto(browser.site.url);
        const { wrong, checked } = await page.evaluate(compare, manifest);
        assert.deepEqual(wrong, []);
        assert.equal(checked, 2 * 25 + 11);
      });
    },
    { serve: servePackage },
  );
}
