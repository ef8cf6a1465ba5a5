// What is wrong with a file to write is said before anything is made for it, with what to do instead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, PackedError } from 'packed-weights';

const pw = await load();
const tensor = { name: 't', encoding: 'F32', ne: [4], bytes: new Uint8Array(16) };
const refusal = (code, message) => ({ name: 'PackedError', code, message });
const written = pw.writeGguf({ tensors: [tensor] });

async function chunksOf(what) {
  const chunks = [];
  let thrown;
  try {
    for await (const chunk of pw.streamGguf(what)) chunks.push(chunk);
  } catch (error) {
    thrown = error;
  }
  return { chunks, thrown };
}

/** Every way of writing refuses it, and the stream before its first chunk. */
async function requireRefused(what, code, message) {
  assert.throws(() => pw.writeGguf(what), refusal(code, message));
  const { chunks, thrown } = await chunksOf(what);
  assert.equal(chunks.length, 0);
  assert.throws(
    () => {
      throw thrown;
    },
    refusal(code, message),
  );
}

test('write: bytes of a wrong size are refused before memory is asked for, however large the tensor', async () => {
  for (const ne of [[5], [3], [2 ** 30], [2 ** 50], [2 ** 31, 2 ** 29]])
    await requireRefused({ tensors: [{ ...tensor, ne }] }, 'SIZE_MISMATCH', /^t of F32 takes /);
  const second = { ...tensor, name: 'u', ne: [5] };
  await requireRefused({ tensors: [tensor, second] }, 'SIZE_MISMATCH', /^u of F32 takes 20 bytes/);
  const parts = { ...tensor, bytes: () => [new Uint8Array(16)] };
  const { chunks, thrown } = await chunksOf({ tensors: [parts, second] });
  assert.deepEqual([chunks.length, thrown.code, thrown.tensor], [0, 'SIZE_MISMATCH', 'u']);
});

test('write: a file that no piece of memory holds is OUT_OF_MEMORY, and streams', async () => {
  // The same bytes again and again: four pebibytes, more than processes have addresses for.
  const bytes = new Uint8Array(2 ** 26);
  const most = 65536;
  const tensors = Array.from({ length: most }, (_, i) => ({
    name: `t${i}`,
    encoding: 'I8',
    ne: [2 ** 26],
    bytes,
  }));
  const hint = /^No memory for \d+ bytes .* streamGguf$/;
  assert.throws(() => pw.writeGguf({ tensors }), refusal('OUT_OF_MEMORY', hint));
  const stream = pw.streamGguf({ tensors });
  assert.ok((await stream.next()).value.length > most * 24);
  assert.equal((await stream.next()).value.length, bytes.length);
  await stream.return();
});

test('write: metadata beyond a header that can be read again is refused before it is copied', async () => {
  const large = 'x'.repeat(100 * 2 ** 20);
  const wide = '\u20ac'.repeat(90 * 2 ** 20);
  const many = (value, count = 40) => Array.from({ length: count }, (_, i) => [`k${i}`, value]);
  for (const what of [
    { metadata: many(large) },
    { metadata: [['a', [large, large, large]]] },
    { metadata: [['a', wide]] },
    { metadata: [['a', { type: 'f64', value: new Array(40e6) }]] },
    {
      metadata: [
        [large, 1],
        [`${large}b`, 1],
        [`${large}c`, 1],
      ],
    },
    { tensors: ['a', 'b', 'c'].map((end) => ({ ...tensor, name: `${large}${end}` })) },
  ])
    assert.throws(() => pw.writeGguf(what), refusal('LIMIT_EXCEEDED', / beyond the 268435456 /));
  assert.deepEqual(pw.writeGguf({ tensors: [tensor] }), written);
});

test('write: holes and what is no tensor are refused by their place', async () => {
  for (const tensors of [[,], [tensor, , tensor], [null], [undefined], [7]])
    await requireRefused({ tensors }, 'INVALID_ARGUMENT', /^tensors\[\d\] must be an object, not /);
  for (const sizes of [{ ne: [, 4] }, { ne: [4, ,] }, { ne: undefined, shape: [, 4] }]) {
    const tensors = [{ ...tensor, ...sizes }];
    await requireRefused({ tensors }, 'INVALID_ARGUMENT', /of t must be .*, not undefined$/);
  }
  for (const value of [[,], [1, , 2], ['a', , 'b'], { type: 'string', value: ['a', ,] }])
    await requireRefused({ metadata: { value } }, 'INVALID_ARGUMENT', /^metadata value.*undefined/);
});

test('write: members that nobody would read are refused by name', async () => {
  for (const misspelt of ['oder', 'shpae', 'Encoding', 'toString', 'data'])
    await requireRefused(
      { tensors: [{ ...tensor, [misspelt]: [3] }] },
      'INVALID_ARGUMENT',
      new RegExp(`^tensors\\[0\\] cannot have '${misspelt}', only name, encoding, ne, shape, `),
    );
  for (const misspelt of ['vlaue', 'elementType'])
    await requireRefused(
      { metadata: { key: { type: 'u8', value: 1, [misspelt]: 2 } } },
      'INVALID_ARGUMENT',
      new RegExp(`^metadata key cannot have '${misspelt}', only type, value$`),
    );
  const wrong = { tensors: [tensor], metdata: {} };
  await requireRefused(wrong, 'INVALID_ARGUMENT', /^what cannot have 'metdata'/);
  const how = { prefix: 'm', maxBytes: 1 };
  assert.throws(() => pw.splitGguf(wrong, how), refusal('INVALID_ARGUMENT', /'metdata'/));
  const tensors = [{ ...tensor, oder: 1 }];
  assert.throws(() => pw.splitGguf({ tensors }, how), refusal('INVALID_ARGUMENT', /'oder'/));
});

test('write: what this library gives is taken as it is, with new bytes beside it', async () => {
  const file = await pw.openGguf(written);
  const again = { ...file.tensor('t'), bytes: await file.bytes('t') };
  assert.deepEqual(pw.writeGguf({ metadata: file.storedMetadata(), tensors: [again] }), written);
  const [shard] = pw.splitGguf({ tensors: [again] }, { prefix: 'm', maxBytes: 1 });
  assert.deepEqual(pw.writeGguf({ ...shard }), pw.writeGguf(shard));

  const fixture = pw.fixtures.decodable('Q4_K');
  const { bytes, encoding, out, inputDim, order } = fixture;
  const expected = pw.writeGguf({
    tensors: [{ name: 'w', encoding, shape: [out, inputDim], bytes }],
  });
  const named = { name: 'w', shape: [out, inputDim] };
  const packed = pw.pack(bytes, { encoding, out, inputDim, order });
  for (const given of [fixture, packed])
    assert.deepEqual(pw.writeGguf({ tensors: [{ ...named, ...given }] }), expected);
  const quantized = pw.quantize(new Float32Array(32), 'Q8_0');
  pw.writeGguf({ tensors: [{ name: 'q', encoding: 'Q8_0', ne: [32], ...quantized }] });

  class Own {
    constructor() {
      Object.assign(this, tensor, { label: 'of its own' });
    }
  }
  assert.deepEqual(pw.writeGguf({ tensors: [new Own()] }), written);
});

test('write: a value or bytes of a wrong kind are refused with what to give instead', () => {
  const value = (given) => () => pw.writeGguf({ metadata: { a: given } });
  for (const [array, type] of [
    [new Float32Array(2), 'f32'],
    [new Float64Array(2), 'f64'],
    [new Uint8Array(2), 'u8'],
    [new Uint8ClampedArray(2), 'u8'],
    [new Int16Array(2), 'i16'],
    [new BigUint64Array(2), 'u64'],
  ]) {
    const given = { type, value: [...array] };
    const message = `metadata a cannot be an object of ${array.constructor.name}: give { type: '${type}', value: [...array] }`;
    assert.throws(value(array), refusal('INVALID_ARGUMENT', message));
    assert.throws(value({ type, value: array }), refusal('INVALID_ARGUMENT', /\[\.\.\.array\]/));
    value(given)();
  }
  for (const other of [null, undefined, new Date(0), { value: 5 }, [[1]]])
    assert.throws(value(other), refusal('INVALID_ARGUMENT', /: it is text, .*\{ type, value \}$/));
  const parts = { tensors: [{ ...tensor, bytes: () => [tensor.bytes] }] };
  assert.throws(() => pw.writeGguf(parts), refusal('INVALID_ARGUMENT', /streamGguf/));
});

test('stream: parts without bytes make no chunks, and lists that change meanwhile change nothing', async () => {
  const none = new Uint8Array();
  for (const parts of [
    [none, tensor.bytes, none],
    [none, none, tensor.bytes.subarray(0, 8), none, tensor.bytes.subarray(8)],
  ]) {
    const { chunks } = await chunksOf({ tensors: [{ ...tensor, bytes: () => parts }] });
    assert.ok(chunks.every(({ length }) => length > 0));
    assert.deepEqual(new Uint8Array(await new Blob(chunks).arrayBuffer()), written);
  }
  const what = { tensors: [tensor] };
  const chunks = [];
  for await (const chunk of pw.streamGguf(what)) {
    chunks.push(chunk);
    what.tensors = [];
  }
  assert.deepEqual(new Uint8Array(await new Blob(chunks).arrayBuffer()), written);
});

test('stream: what a function of parts throws is told with its tensor; ours and what signals throw stay', async () => {
  const boom = new Error('the disk is gone');
  const throwing = (error) => [
    () => {
      throw error;
    },
    function* () {
      yield new Uint8Array(8);
      throw error;
    },
    async function* () {
      yield new Uint8Array(8);
      throw error;
    },
  ];
  for (const [i, bytes] of throwing(boom).entries()) {
    const { thrown } = await chunksOf({ tensors: [{ ...tensor, bytes }] });
    assert.deepEqual([thrown.code, thrown.tensor, thrown.cause], ['IO_FAILED', 't', boom]);
    assert.match(thrown.message, i === 0 ? /after 0 bytes \(the disk/ : /after 8 bytes \(the disk/);
  }
  const { reason } = AbortSignal.abort();
  for (const kept of [reason, new PackedError('IO_FAILED', 'a file is gone')])
    for (const bytes of throwing(kept)) {
      const { thrown } = await chunksOf({ tensors: [{ ...tensor, bytes }] });
      assert.equal(thrown, kept);
    }
});
