import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { ggufFile } from '../support/gguf-writer.js';

const pw = await load();

function shard(number, { count = 3, total = 3, tensors = [], metadata = {}, name } = {}) {
  const five = (n) => String(n).padStart(5, '0');
  const keys = {
    ...metadata,
    'split.no': { type: 'u16', value: number },
    'split.count': { type: 'u16', value: count },
    'split.tensors.count': { type: 'i32', value: total },
  };
  const list = tensors.map((tensor, i) => ({
    name: tensor,
    encoding: 'F32',
    ne: [4],
    bytes: new Uint8Array(Float32Array.of(number, i, 2, 3).buffer),
  }));
  const bytes = pw.writeGguf({ metadata: keys, tensors: list });
  return new File([bytes], name ?? `m-${five(number + 1)}-of-${five(count)}.gguf`);
}
const first = shard(0, { tensors: ['a'], metadata: { 'general.architecture': 'test' } });
const second = shard(1, { tensors: ['b', 'c'] });
const empty = shard(2);

test('shards: are one model in any order: tensors of all, metadata of the first', async () => {
  const model = await pw.openGguf([second, empty, first]);
  assert.deepEqual(
    model.tensors.map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  assert.equal(model.metadata.get('general.architecture'), 'test');
  assert.equal(model.size, first.size + second.size + empty.size);
  assert.deepEqual([...(await model.view('c')).toFloats()], [1, 1, 2, 3]);
  assert.equal((await model.bytes('a')).length, 16);
  assert.equal(model.shardOf('b').name, second.name);
  assert.equal(model.feedReport().length, 3);
  await assert.rejects(model.bytes('d'), { code: 'TENSOR_NOT_FOUND', tensor: 'd' });
  await model.close();
});

test('shards: missing ones are refused by name', async () => {
  await assert.rejects(pw.openGguf([first]), /m-00002-of-00003\.gguf, m-00003-of-00003\.gguf/);
  await assert.rejects(pw.openGguf([second, first]), /1 of 3 .*m-00003-of-00003\.gguf/);
});

test('shards: repeated, contradictory and foreign ones are refused', async () => {
  for (const [set, message] of [
    [[], /nothing to open/],
    [[first, second, second], /both shard 2 of 3/],
    [[first, second, shard(2, { count: 4 })], /one of 3 shards, .* one of 4/],
    [[first, second, shard(7, { name: 'x.gguf' })], /shard 8 of 3/],
    [[first, second, shard(2, { tensors: ['a'] })], /"a" is in .*00001.* and in .*00003/],
    [[first, shard(1, { tensors: ['b'] }), empty], /has 3 tensors, the shards have 2/],
    [
      [pw.writeGguf({ metadata: { 'general.architecture': 'x' } })],
      /is no shard: its split\.count/,
    ],
  ]) {
    await assert.rejects(pw.openGguf(set), (error) => {
      assert.equal(error.name, 'PackedError');
      assert.match(error.message, message);
      return true;
    });
  }
});

test('shards: all are closed where one of them cannot be, and what was wrong before is told', async () => {
  /** @type {string[]} */
  const closed = [];
  const sources = async (...files) =>
    Promise.all(
      files.map(async (file, i) => {
        const bytes = new Uint8Array(await file.arrayBuffer());
        const close = () => {
          closed.push(file.name);
          if (i === 0) throw new Error('it cannot be closed');
        };
        return {
          size: bytes.length,
          name: file.name,
          read: (at, n) => bytes.slice(at, at + n),
          close,
        };
      }),
    );
  const model = await pw.openGguf(await sources(first, second, empty));
  await assert.rejects(model.close(), { code: 'IO_FAILED', message: /00001.*cannot be closed/ });
  assert.deepEqual(closed, [first.name, second.name, empty.name]);
  closed.length = 0;
  await assert.rejects(pw.openGguf(await sources(first, second, second)), /both shard 2 of 3/);
  assert.deepEqual(closed, [first.name, second.name, second.name]);
});

test('shards: of two byte orders are refused by name, whichever comes first', async () => {
  const inOrder = (number, bigEndian) => {
    const keys = { 'split.no': number, 'split.count': 3, 'split.tensors.count': 3 };
    const tensor = { name: `t${number}`, ne: [4], ggmlType: 0, bytes: new Uint8Array(16) };
    return new File([ggufFile(keys, [tensor], bigEndian)], `m-${number}.gguf`);
  };
  for (let orders = 0; orders < 8; ++orders) {
    const isBig = [0, 1, 2].map((number) => ((orders >> number) & 1) === 1);
    const open = pw.openGguf(isBig.map((big, number) => inOrder(number, big)).reverse());
    if (orders === 0 || orders === 7) {
      const model = await open;
      assert.equal(model.littleEndian, orders === 0);
      await model.close();
      continue;
    }
    const unlike = isBig.findIndex((big) => big !== isBig[0]);
    const [little, big] = isBig[0] ? [unlike, 0] : [0, unlike];
    await assert.rejects(open, {
      code: 'MALFORMED',
      message: `m-${big}.gguf is big-endian, m-${little}.gguf little-endian: open the shards of one model`,
    });
  }
});
