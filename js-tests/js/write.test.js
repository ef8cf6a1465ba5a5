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

test('write: a split keeps metadata whose pairs can be asked for only once', async () => {
  const pairs = () => new Map(Object.entries(metadata)).entries();
  const split = { prefix: 'm', maxBytes: 6000 };
  const shards = pw.splitGguf({ tensors, metadata: pairs() }, split);
  assert.deepEqual(shards, pw.splitGguf(what, split));
  assert.deepEqual(pw.writeGguf({ tensors, metadata: pairs() }), pw.writeGguf(what));
});

test('write: a value is written as what it is, or refused', async () => {
  const written = async (value) => {
    const file = await pw.openGguf(pw.writeGguf({ metadata: { value } }));
    const { type } = file.storedMetadata().get('value');
    return [file.metadata.get('value'), type];
  };
  const [u32, i32, f32, u64, i64, f64] = [4, 5, 6, 10, 11, 12];
  for (const [value, read, type] of [
    [7n, 7, u32],
    [-7n, -7, i32],
    [2 ** 53, 2n ** 53n, u64],
    [2 ** 60, 2n ** 60n, u64],
    [-(2 ** 63), -(2n ** 63n), i64],
    [2 ** 64, 2 ** 64, f32],
    [0.1, Math.fround(0.1), f32],
    [-Infinity, -Infinity, f32],
    [{ type: 'f32', value: NaN }, NaN, f32],
    [{ type: 'f64', value: NaN }, NaN, f64],
    [{ type: 'f64', value: 1e300 }, 1e300, f64],
    [{ type: 'u64', value: 2n ** 64n - 1n }, 2n ** 64n - 1n, u64],
  ]) {
    assert.deepEqual(await written(value), [read, type]);
  }
  for (const [values, type] of [
    [[3_000_000_000, -1], 'i64'],
    [[1, 2n ** 63n], 'u64'],
    [[1, 2n ** 40n], 'u64'],
    [[-1, 2n ** 40n], 'i64'],
    [[7, -1], 'i32'],
    [[2 ** 31 - 1, -(2 ** 31)], 'i32'],
    [[2 ** 31, -1], 'i64'],
    [[2 ** 32, 0], 'u64'],
    [[1, 0.5], 'f32'],
    [[2 ** 24, 0.5], 'f32'],
    [[2 ** 24 + 1, 0.5], 'f64'],
    [[-(2 ** 24) - 1, 0.5], 'f64'],
  ]) {
    const file = await pw.openGguf(pw.writeGguf({ metadata: { values } }));
    const read = file.metadata.get('values');
    assert.deepEqual([...read].map(Number), values.map(Number));
    assert.equal(read.elementType, type);
  }
  for (const value of [
    [-1, 2n ** 63n],
    1e300,
    2n ** 64n,
    -(2n ** 63n) - 1n,
    [1, 2n ** 40n, 1.5],
    { type: 'f32', value: 1e300 },
    { type: 'f32', value: '1.5' },
    { type: 'f64', value: 5n },
    { type: 'bool', value: 'no' },
    { type: 'bool', value: 0 },
    { type: 'string', value: 5 },
    { type: 'string' },
    { type: 'u8', value: '5' },
    { type: 'u8', value: true },
    { type: 'u8', value: -1 },
    { type: 'u64', value: 1.5 },
    { type: 'u64', value: [1, , 2] },
    { type: 'toString', value: 1 },
  ]) {
    await assert.rejects(written(value), (error) => {
      assert.equal(error.code, 'INVALID_ARGUMENT', `${error.stack}`);
      assert.match(error.message, /^metadata value/);
      return true;
    });
  }
});

test('write: a tensor whose ne and shape contradict each other, or that has neither, is refused', () => {
  const one = { name: 'w', encoding: 'F32', bytes: bytesOf(6, 0) };
  const write = (sizes) => pw.writeGguf({ tensors: [{ ...one, ...sizes }] });
  assert.deepEqual(write({ ne: [3, 2], shape: [2, 3] }), write({ shape: [2, 3] }));
  assert.throws(() => write({ ne: [3, 2], shape: [3, 2] }), {
    code: 'SHAPE_MISMATCH',
    tensor: 'w',
  });
  assert.throws(() => write({}), { code: 'INVALID_ARGUMENT', tensor: 'w' });
});

test('write: parts are bytes, in whatever view', async () => {
  const parts = (bytes) => ({ tensors: [{ ...tensors[1], bytes: () => bytes }] });
  const { bytes } = tensors[1];
  const whole = pw.writeGguf({ tensors: [tensors[1]] });
  const views = [new DataView(bytes.buffer, 0, 64), bytes.buffer.slice(64)];
  assert.deepEqual(await collected(pw.streamGguf(parts(views))), whole);
  for (const wrong of ['text', ['text'], [Array.from(bytes)], 7, null]) {
    await assert.rejects(collected(pw.streamGguf(parts(wrong))), { code: 'INVALID_ARGUMENT' });
  }
});

test('write: what a file cannot hold as it is meant is refused', () => {
  const tensor = { name: 'w', encoding: 'Q8_0', shape: [1, 32], bytes: new Uint8Array(34) };
  const write = (changed) => pw.writeGguf({ tensors: [{ ...tensor, ...changed }] });
  write({ order: 'ROW_MAJOR' });
  for (const changed of [
    { order: 'INPUT_BLOCK_MAJOR' },
    { name: 'a\nb' },
    { name: 'a\u007f' },
    { name: 'a\ud800' },
  ]) {
    assert.throws(() => write(changed), { code: 'INVALID_ARGUMENT' }, JSON.stringify(changed));
  }
  const surrogate = ['\udc00', ['a', '\ud800b'], { type: 'string', value: '\ud800' }];
  for (const value of surrogate) {
    assert.throws(() => pw.writeGguf({ metadata: { value } }), { code: 'INVALID_ARGUMENT' });
  }
});

test('write: a type that metadata cannot be of is refused with those that it can be of', () => {
  for (const type of ['array', 'u128', 'toString', 5]) {
    const writing = () => pw.writeGguf({ metadata: { key: { type, value: [1] } }, tensors: [] });
    assert.throws(writing, ({ code, message }) => {
      assert.equal(code, 'INVALID_ARGUMENT');
      const [, types] = /^metadata key cannot be of type .*, only ([\w, ]+); /.exec(message);
      assert.equal(types, 'u8, i8, u16, i16, u32, i32, f32, bool, string, u64, i64, f64');
      return true;
    });
  }
});
