// The kernels through the package: whatever module is loaded, the scalar kernels' bits come out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { blockedEncodings } from '../support/weights.js';
import { compareKernels } from '../support/kernel-comparison.js';

const newest = Number(process.versions.node.split('.')[0]) >= 22;

for (const encoding of blockedEncodings(await load())) {
  test(`kernels: ${encoding} has the scalar kernels' bits in every module, order and activation`, async () => {
    const { isas, compared, wrong } = await compareKernels(load, { encodings: [encoding] });
    assert.deepEqual(wrong, []);
    assert.deepEqual(isas, ['scalar', 'simd128', ...(newest ? ['relaxed'] : [])]);
    assert.equal(compared, 26 * 2 * 4 * (isas.length - 1));
  });
}

test('kernels: scalar ones are those whose names say so', async () => {
  const scalar = await load({ isa: 'scalar' });
  assert.equal(scalar.isa, 'scalar');
  assert.ok(scalar.kernels.length > 50);
  assert.ok(scalar.kernels.every((name) => name.endsWith('_scalar')));
});
