// What a converter's author puts into CI: `node --test`. vitest and jest take the same assertions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAgrees, fixtures } from 'packed-weights/testing';
import { convert, quantize, relayout } from './converter.js';

test('blocks stand where kernels read them', () => {
  assertAgrees(relayout(fixtures.canonical('Q8_0'), 4), 'Q8_0', { kernelOrder: true });
});

test('a real weight too, not only the fixture', () => {
  const { bytes, out, blocksPerRow } = fixtures.decodable('Q8_0');
  const options = { kernelOrder: true, out, blocksPerRow, reference: bytes };
  assertAgrees(relayout(bytes, out), 'Q8_0', options);
});

test('the whole path: values to blocks in kernel order', () => {
  // Values whose scale is exact, so that they survive the way there and back.
  const out = 6;
  const inputDim = 96;
  const values = Float32Array.from({ length: out * inputDim }, (_, i) =>
    i % 32 === 0 ? 127 / 64 : ((i * 37) % 255) / 64 - 127 / 64,
  );
  const rowMajor = quantize(values);
  const options = { kernelOrder: true, out, blocksPerRow: inputDim / 32, reference: rowMajor };
  assertAgrees(convert(values, out), 'Q8_0', options);
  for (let i = 0; i < values.length; ++i) {
    const block = Math.floor(i / 32) * 34;
    const code = new Int8Array(rowMajor.buffer)[block + 2 + (i % 32)];
    assert.equal(code / 64, values[i]);
  }
});
