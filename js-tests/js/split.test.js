// A model that is split says in its first file what it says in one, wherever the tensors lie.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';

const pw = await load();
const plain = (name) => ({ name, encoding: 'F32', ne: [32], bytes: new Uint8Array(128) });
const quantized = (name) => ({ name, encoding: 'Q8_0', ne: [32], bytes: new Uint8Array(34) });
const architecture = { 'general.architecture': 'test' };

async function written(what) {
  const file = await pw.openGguf(pw.writeGguf(what));
  return file.metadata;
}

/** Its metadata as one file, and as each of the files that hold a tensor each. */
async function bothOf(what) {
  const shards = pw.splitGguf(what, { prefix: 'm', maxBytes: 1 });
  assert.equal(shards.length, what.tensors.length);
  return [await written(what), await Promise.all(shards.map(written))];
}

const own = (metadata) => [...metadata].filter(([key]) => !key.startsWith('split.'));

test('split: the first file says what the model says in one, the others nothing but their part', async () => {
  const stated = { ...architecture, 'general.quantization_version': 2 };
  const split = { ...architecture, 'split.no': 1, 'split.count': 2 };
  for (const tensors of [
    [plain('a'), quantized('b'), quantized('c')],
    [quantized('a'), plain('b'), quantized('c')],
    [quantized('a'), plain('b')],
    [plain('a'), plain('b')],
  ])
    for (const metadata of [architecture, stated, split]) {
      const [, [first, ...others]] = await bothOf({ metadata, tensors });
      const whole = await written({
        tensors,
        metadata: metadata === stated ? stated : architecture,
      });
      assert.deepEqual(own(first), own(whole));
      for (const other of others) assert.deepEqual(own(other), []);
    }
});

test('split: files of another alignment each state it, for each is read by its own', async () => {
  const tensors = [plain('a'), quantized('b')];
  const [whole, [first, second]] = await bothOf({
    metadata: architecture,
    tensors,
    alignment: 64,
  });
  assert.deepEqual(new Map(own(first)), whole);
  assert.deepEqual(own(second), [['general.alignment', 64]]);
});

test('split: what is split keeps both profiles, whichever file holds what is quantized', async () => {
  const tensors = [plain('a'), quantized('b')];
  const files = pw
    .splitGguf({ metadata: architecture, tensors }, { prefix: 'm', maxBytes: 1 })
    .map((shard) => new File([pw.writeGguf(shard)], shard.name));
  for (const profile of ['spec', 'llama']) {
    const { findings } = await pw.validate(files, { profile });
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'info'),
      [],
    );
  }
});
