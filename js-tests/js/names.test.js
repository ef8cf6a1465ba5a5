// Tensors by their names, however many there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { hold } from '../support/budget.js';
import { ggufFile } from '../support/gguf-writer.js';

const pw = await load();
const bytes = new Uint8Array(18);

test('names: a tensor is found by its own, and by no other', async () => {
  const named = (name, fill) => ({ name, ne: [32], ggmlType: 2, bytes: bytes.slice().fill(fill) });
  const file = await pw.openGguf(ggufFile({}, [named('a', 1), named('b', 2), named('', 3)]));
  for (const [i, tensor] of file.tensors.entries()) {
    assert.equal(file.tensor(tensor.name), tensor);
    assert.deepEqual(file.range(tensor.name), { offset: tensor.offset, length: 18 });
    assert.deepEqual(await file.bytes(tensor.name), bytes.slice().fill(i + 1));
  }
  for (const other of ['c', 'A', 'a ', '__proto__', 'constructor'])
    assert.throws(() => file.range(other), { code: 'TENSOR_NOT_FOUND' }, other);
});

test('names: each of 40,000 tensors is found without a look at the others', async () => {
  const tensors = Array.from({ length: 40_000 }, (_, i) => ({
    name: `blk.${i}.weight`,
    ne: [32],
    ggmlType: 2,
    bytes,
  }));
  const file = await pw.openGguf(ggufFile({}, tensors));
  const start = performance.now();
  for (const { name } of file.tensors) file.range(name);
  hold('40,000 ranges by name', performance.now() - start, 'ms', 100, 5000);
});
