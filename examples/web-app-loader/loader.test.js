// The loader's test: the blocks it holds are in kernel order, and its products are the fixture's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { assertAgrees, fixtures } from 'packed-weights/testing';
import { loadWeight } from './loader.js';

const pw = await load();

for (const encoding of ['Q4_0', 'Q8_0', 'Q4_K', 'Q6_K', 'TQ2_0']) {
  test(`${encoding}: in kernel order, and the right product`, async () => {
    const { bytes, out, inputDim, blocksPerRow, x, y } = fixtures.decodable(encoding);
    const tensors = [{ name: 'ffn.weight', encoding, shape: [out, inputDim], bytes }];
    const weight = await loadWeight(pw, new Blob([pw.writeGguf({ tensors })]), 'ffn.weight');
    const options = { kernelOrder: true, out, blocksPerRow };
    assert.equal(weight.view.order, 'INPUT_BLOCK_MAJOR');
    assertAgrees(weight.view.bytes(), encoding, options);
    const largest = Math.max(...y.map(Math.abs));
    weight.apply(x).forEach((value, i) => assert.ok(Math.abs(value - y[i]) <= 1e-5 * largest));
    weight.dispose();
  });
}

test('a tensor that is not there is named', async () => {
  const file = new Blob([pw.writeGguf({ tensors: [] })]);
  await assert.rejects(loadWeight(pw, file, 'ffn.weight'), { code: 'TENSOR_NOT_FOUND' });
});
