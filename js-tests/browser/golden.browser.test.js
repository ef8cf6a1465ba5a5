// The published package in real browsers: every encoding decodes to the reference's bits there as well, the
// formats with one definition are quantized to its bytes, and those that search as well as there and to the same
// bytes as in Node.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { load } from 'packed-weights';
import { engines } from '../support/browser.js';
import { goldenFloats, manifest } from '../support/golden.js';
import { servePackage } from '../support/package-server.js';
import { describeInBrowser } from '../support/in-browser.js';

const searching = ['Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K', 'IQ4_NL', 'IQ4_XS'];
const pw = await load();

/** What Node's bytes of a golden source are, as hexadecimal SHA-256. */
function digestInNode({ name, blockSize }) {
  const inputDim = manifest.blocksPerRow * blockSize;
  const { bytes } = pw.quantize(goldenFloats(`${name}.source.f32`), name, { inputDim });
  return createHash('sha256').update(bytes).digest('hex');
}

/** Runs in the page: what differs, as text; empty when nothing does. */
async function compare({ encodings, rows, blocksPerRow, digests }) {
  const { load } = await import('/dist/index.js');
  const { compareDefinitions } = await import('/js-tests/support/definitions.js');
  const pw = await load();
  const bytesOf = async (name) =>
    new Uint8Array(await (await fetch(`/native-tests/golden/${name}`)).arrayBuffer());
  const same = (a, b) => {
    const [x, y] = [a, b].map((v) => new Uint8Array(v.buffer, v.byteOffset, v.byteLength));
    return x.length === y.length && x.every((byte, i) => byte === y[i]);
  };
  const digestOf = async (bytes) =>
    [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
  const { wrong, checked: defined } = compareDefinitions(pw);
  let checked = defined.length;
  for (const { name, blockSize, relativeRmsError } of encodings) {
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
          for (let i = 0; i < inputDim; ++i) {
            const right = Object.is(view.get(o, i), values[o * inputDim + i]);
            if (!right) wrong.push(`${where}: get(${o}, ${i})`);
          }
        }
        view.dispose();
      }
      ++checked;
    }
    if (!pw.encodings[name].quantizable) continue;
    const source = new Float32Array((await bytesOf(`${name}.source.f32`)).buffer);
    const { bytes, report } = pw.quantize(source, name, { inputDim });
    const right =
      name in digests
        ? report.relativeRms <= 1.02 * relativeRmsError && (await digestOf(bytes)) === digests[name]
        : same(bytes, await bytesOf(`${name}.quantized.bin`));
    if (!right) wrong.push(`${name} quantized`);
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
        const digests = Object.fromEntries(
          manifest.encodings
            .filter(({ name }) => searching.includes(name))
            .map((entry) => [entry.name, digestInNode(entry)]),
        );
        const { wrong, checked } = await page.evaluate(compare, { ...manifest, digests });
        assert.deepEqual(wrong, []);
        assert.equal(checked, 10 + 2 * 25 + 11 + 7);
      });
    },
    { serve: servePackage },
  );
}
