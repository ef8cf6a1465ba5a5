import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { goldenBytes, goldenFloats, manifest } from '../support/golden.js';
import { sameBits } from '../support/weights.js';

const pw = await load();
const { rows, blocksPerRow, encodings } = manifest;
const searching = new Set(['Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K', 'IQ4_NL', 'IQ4_XS']);

for (const { name, blockSize, relativeRmsError } of encodings) {
  const inputDim = blocksPerRow * blockSize;

  for (const [bytes, floats] of [
    ['arbitrary.bin', 'arbitrary.f32'],
    ['quantized.bin', 'decoded.f32'],
  ]) {
    test(`golden: ${name}.${bytes} decodes to the reference's bits, from both orders`, () => {
      const stored = goldenBytes(`${name}.${bytes}`);
      const expected = goldenFloats(`${name}.${floats}`);
      assert.ok(sameBits(pw.decode(stored, name), expected), 'decode');
      const packed = pw.pack(stored, { encoding: name, out: rows, inputDim, order: 'ROW_MAJOR' });
      for (const ordered of [packed, pw.toKernelOrder(packed)]) {
        const view = pw.view(ordered);
        assert.ok(sameBits(view.toFloats(), expected), `toFloats, ${ordered.order}`);
        for (let o = 0; o < rows; ++o) {
          const row = expected.subarray(o * inputDim, (o + 1) * inputDim);
          assert.ok(sameBits(view.row(o), row), `row ${o}, ${ordered.order}`);
          for (let i = 0; i < inputDim; ++i) {
            assert.ok(Object.is(view.get(o, i), row[i]), `get(${o}, ${i}), ${ordered.order}`);
          }
        }
        view.dispose();
      }
    });
  }

  if (!pw.encodings[name].quantizable) continue;
  test(`golden: ${name} is quantized as well as the reference does`, () => {
    const { bytes, report } = pw.quantize(goldenFloats(`${name}.source.f32`), name, { inputDim });
    if (searching.has(name)) {
      assert.ok(report.relativeRms <= 1.02 * relativeRmsError, `${report.relativeRms}`);
    } else {
      assert.deepEqual(bytes, goldenBytes(`${name}.quantized.bin`));
    }
  });
}
