// What is written: the same bytes by chunks as in one piece, split into files that check and read as one model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';

const pw = await load();
const bytesOf = (count, seed) =>
  new Uint8Array(Float32Array.from({ length: count }, (_, i) => Math.sin(i + seed)).buffer);
const tensors = [40, 8, 8, 8, 96, 8].map((rows, i) => ({
  name: `blk.${i}.ffn_up.weight`,
  encoding: 'F32',
  ne: [32, rows],
  bytes: bytesOf(32 * rows, i),
}));
const metadata = { 'general.architecture': 'test', 'test.tags': ['a', 'b'] };
const what = { metadata, tensors };

async function collected(chunks) {
  const parts = [];
  for await (const chunk of chunks) parts.push(chunk);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

test('write: chunks are the same file, and tensors may come by parts of any size', async () => {
  const whole = pw.writeGguf(what);
  assert.deepEqual(await collected(pw.streamGguf(what)), whole);
  const byParts = tensors.map((tensor) => ({
    ...tensor,
    async *bytes() {
      for (let at = 0; at < tensor.bytes.length; at += 1000)
        yield tensor.bytes.subarray(at, at + 1000);
    },
  }));
  assert.deepEqual(await collected(pw.streamGguf({ metadata, tensors: byParts })), whole);
  assert.deepEqual(pw.writeGguf(what), whole);
});

test('write: parts that are too few or too many end the stream with the tensor named', async () => {
  for (const [change, message] of [
    [-1, /only 5119 were given/],
    [1, /more were given/],
  ]) {
    const parts = () => [new Uint8Array(5120 + change)];
    const wrong = { tensors: [{ ...tensors[0], bytes: parts }] };
    await assert.rejects(collected(pw.streamGguf(wrong)), (error) => {
      assert.equal(error.code, 'SIZE_MISMATCH');
      assert.equal(error.tensor, tensors[0].name);
      assert.match(error.message, message);
      return true;
    });
  }
});

test('write: a model is split into files that check and read as the one model', async () => {
  const shards = pw.splitGguf(
    { ...what, metadata: { ...metadata, 'split.count': 9 }, alignment: 64 },
    { prefix: 'm', maxBytes: 6000 },
  );
  // 5120 | 1024 * 3 | 12288, which is larger than any file may be | 1024
  assert.deepEqual(
    shards.map(({ name, tensors }) => [name, tensors.length]),
    [
      ['m-00001-of-00004.gguf', 1],
      ['m-00002-of-00004.gguf', 3],
      ['m-00003-of-00004.gguf', 1],
      ['m-00004-of-00004.gguf', 1],
    ],
  );
  const files = shards.map((shard) => new File([pw.writeGguf(shard)], shard.name));
  for (const profile of ['spec', 'llama']) {
    const report = await pw.validate(files, { profile });
    assert.deepEqual(
      report.findings.filter(({ severity }) => severity !== 'info'),
      [],
    );
    assert.equal(report.tensorsChecked, tensors.length);
  }
  const model = await pw.openGguf(files);
  assert.equal(model.metadata.get('general.architecture'), 'test');
  for (const { name, bytes } of tensors) assert.deepEqual(await model.bytes(name), bytes);
  assert.equal(model.metadata.get('split.count'), 4);
  await model.close();
});

test('write: a split of one file, and of no tensors, is whole too', async () => {
  for (const each of [what, { metadata }]) {
    const [shard, ...others] = pw.splitGguf(each, { prefix: 'one', maxBytes: 1 << 20 });
    assert.equal(shard.name, 'one-00001-of-00001.gguf');
    assert.equal(others.length, 0);
    const model = await pw.openGguf([new File([pw.writeGguf(shard)], shard.name)]);
    assert.equal(model.tensors.length, each.tensors?.length ?? 0);
  }
});

test('write: more files than can be numbered are refused', () => {
  const one = new Uint8Array(4);
  const many = Array.from({ length: 65536 }, (_, i) => ({
    name: `t${i}`,
    encoding: 'F32',
    ne: [1],
    bytes: one,
  }));
  assert.throws(() => pw.splitGguf({ tensors: many }, { prefix: 'm', maxBytes: 1 }), {
    code: 'LIMIT_EXCEEDED',
  });
});
