import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, PackedError } from 'packed-weights';
import { finiteWeight } from '../support/weights.js';

const pw = await load();
const packed = finiteWeight(pw, 'Q4_0', 5, 3);

test('refusals: every one is a PackedError with a code and a message that says what to do', () => {
  const refused = {
    UNKNOWN_ENCODING: [
      () => pw.decode(new Uint8Array(18), 'Q4_9'),
      () => pw.fixtures.canonical('toString'),
    ],
    SIZE_MISMATCH: [
      () => pw.decode(new Uint8Array(19), 'Q4_0'),
      () =>
        pw.pack(new Uint8Array(17), { encoding: 'Q4_0', out: 1, inputDim: 32, order: 'ROW_MAJOR' }),
      () => pw.view(new Uint8Array(17), { encoding: 'Q4_0', shape: [1, 32], order: 'ROW_MAJOR' }),
    ],
    NOT_BLOCK_DIVISIBLE: [() => pw.requireOutIn(5, 7, 'Q8_0')],
    LOOKS_TRANSPOSED: [
      () => pw.requireOutIn(128, 3, 'Q8_0'),
      () =>
        pw.pack(new Uint8Array(18), { encoding: 'Q4_0', out: 32, inputDim: 1, order: 'ROW_MAJOR' }),
    ],
    INVALID_ARGUMENT: [
      () => pw.decode('bytes', 'Q4_0'),
      () => pw.requireOutIn(-1, 3, 'Q8_0'),
      () => pw.requireOutIn(2 ** 60, 32, 'Q8_0'),
      () => pw.matmul([1, 2, 3], pw.view(packed)),
      () => pw.matmul(new Float32Array(96), pw.view(packed), { activation: 'int4' }),
      () => pw.matmul(new Float32Array(96), {}),
      () => pw.view(packed).prepack('COLUMN_MAJOR'),
      () => pw.view(packed).prepack('ROW_MAJOR', { scope: {}, sink: 'log' }),
    ],
    SHAPE_MISMATCH: [
      () => pw.matmul(new Float32Array(95), pw.view(packed)),
      () => pw.matmul(new Float32Array(96), pw.view(packed), { into: new Float32Array(4) }),
    ],
    ELEMENT_NOT_FINITE: [
      () => pw.matmul(new Float32Array(96).fill(NaN), pw.view(packed), { activation: 'int8' }),
    ],
    OUT_OF_RANGE: [
      () => pw.view(packed).get(5, 0),
      () => pw.view(packed).get(0),
      () => pw.view(packed).row(5),
      () => pw.view(packed).narrow(0, 3, 3),
      () => pw.view(packed).narrow(2, 0, 1),
    ],
    NOT_BLOCK_ALIGNED: [
      () => pw.view(packed).narrow(1, 16, 32),
      () => pw.view(packed).everyNth(1, 2),
    ],
    RANK_UNSUPPORTED: [() => pw.view(packed).slice(0)],
    NOT_BLOCKED: [() => pw.view(packed).transpose().prepack('INPUT_BLOCK_MAJOR')],
  };
  for (const [code, calls] of Object.entries(refused)) {
    for (const call of calls) {
      assert.throws(call, (error) => {
        assert.ok(error instanceof PackedError, `${call}: ${error}`);
        assert.equal(error.code, code, `${call}: ${error.message}`);
        assert.ok(error.message.length > 20, error.message);
        return true;
      });
    }
  }
});

test('refusals: what was given is described by words that users know', () => {
  const view = pw.view(packed);
  class Own {}
  for (const [given, words] of [
    [view, 'an object'],
    [pw, 'an object'],
    [new Own(), 'an object'],
    [Object.create(null), 'an object'],
    [{ constructor: 3 }, 'an object'],
    [{}, 'an object of Object'],
    [[1], 'an object of Array'],
    [new Float64Array(1), 'an object of Float64Array'],
    [undefined, 'undefined'],
    [null, 'null'],
    ['bytes', '"bytes"'],
    [4n, '4n'],
    [() => 1, 'a function'],
  ]) {
    assert.throws(
      () => pw.quantize(given, 'Q4_0'),
      ({ message }) => message === `floats must be a Float32Array, not ${words}`,
      words,
    );
  }
});

test('refusals: numbers are no bytes, but of an encoding whose values they are', () => {
  const arrays = [Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array];
  arrays.push(Float64Array, BigInt64Array, BigUint64Array);
  if (globalThis.Float16Array) arrays.push(globalThis.Float16Array);
  const own = {
    F32: ['Float32Array'],
    F64: ['Float64Array'],
    F16: ['Float16Array', 'Uint16Array'],
    BF16: ['Uint16Array'],
    I16: ['Int16Array'],
    I32: ['Int32Array'],
    I64: ['BigInt64Array'],
  };
  const order = 'ROW_MAJOR';
  for (const { name: encoding, elements, bytes } of Object.values(pw.encodings)) {
    const size = 8 * bytes;
    const shape = [8, elements];
    for (const Kind of arrays) {
      const numbers = new Kind(size / Kind.BYTES_PER_ELEMENT);
      const [ways, tensor] = [[], { name: 'w', encoding, shape, bytes: numbers }];
      ways.push(() => pw.view(numbers, { encoding, shape, order }).dispose());
      const packing = { encoding, out: 8, inputDim: elements, order };
      if (pw.encodings[encoding].blocked) ways.push(() => pw.pack(numbers, packing));
      ways.push(() => pw.writeGguf({ tensors: [tensor] }));
      const grid = { out: 8, blocksPerRow: 1 };
      const reference = new Uint8Array(size);
      ways.push(() => pw.disagreement(numbers, encoding, { ...grid, reference }));
      ways.push(() => pw.disagreement(reference, encoding, { ...grid, reference: numbers }));
      for (const way of ways) {
        if (own[encoding]?.includes(Kind.name)) way();
        else assert.throws(way, { code: 'INVALID_ARGUMENT' }, `${encoding} ${Kind.name} ${way}`);
      }
    }
  }
});

test('refusals: memory that was made smaller is gone, as transferred memory is', () => {
  const gone = (Kind) => {
    const memory = new ArrayBuffer(3072, { maxByteLength: 6144 });
    const array = new Kind(memory, 0, 768);
    memory.resize(4);
    return array;
  };
  // Whose search is its own.
  const goneBuffer = () => {
    const memory = new ArrayBuffer(3072, { maxByteLength: 6144 });
    const buffer = Buffer.from(memory, 0, 768);
    memory.resize(4);
    return buffer;
  };
  for (const call of [
    () => pw.matmul(gone(Float32Array), pw.view(packed)),
    () => pw.quantize(gone(Float32Array), 'Q4_0', { inputDim: 96 }),
    () => pw.decode(gone(Uint8Array), 'Q4_0'),
    () => pw.decode(goneBuffer(), 'Q4_0'),
    () => pw.writeInto(pw.view(packed), 0, gone(Uint8Array)),
  ]) {
    assert.throws(call, { code: 'INVALID_ARGUMENT', message: /made smaller/ });
  }
});

test('refusals: what a framework made of a view is no view', () => {
  const view = pw.view(packed);
  const wrapped = new Proxy(view, {});
  for (const call of [
    () => pw.matmul(new Float32Array(96), wrapped),
    () => pw.explain(wrapped),
    () => wrapped.get(0, 0),
    () => wrapped.shape,
    () => wrapped.prepack('INPUT_BLOCK_MAJOR'),
    () => pw.disagreement(wrapped, 'Q4_0'),
  ]) {
    assert.throws(call, { code: 'INVALID_ARGUMENT', message: /made by pw\.view\(\)/ });
  }
});

test('refusals: options that would not be heard are refused, and say what is', () => {
  const [x, view] = [new Float32Array(96), pw.view(packed)];
  const shape = [5, 96];
  for (const [call, message] of [
    [
      () => pw.matmul(x, view, 'int8'),
      'options must be an object of activation, prepackWeights, scope, sink, into, not "int8"',
    ],
    [
      () => pw.disagreement(packed.bytes, 'Q4_0', { kernelorder: true }),
      "options cannot have 'kernelorder', only kernelOrder, out, blocksPerRow, reference",
    ],
    [
      () => pw.disagreement(packed.bytes, 'Q4_0', { kernelOrder: 1 }),
      'kernelOrder must be a boolean, not 1',
    ],
    [
      () => pw.matmul(x, view, { prepackWeights: 'no' }),
      'prepackWeights must be a boolean, not "no"',
    ],
    // Tagged bytes say themselves what they are.
    [() => pw.view(packed, { shape }), "options cannot have 'shape', only scope"],
  ]) {
    assert.throws(call, { name: 'PackedError', code: 'INVALID_ARGUMENT', message });
  }
});

test('refusals: a closed scope is named by who uses its views', () => {
  const scope = pw.scope({ name: 'layer 3' });
  const view = pw.view(packed, { scope });
  const part = view.narrow(0, 1, 2);
  assert.equal(scope.bytes, 5 * 3 * 18);
  scope.close();
  scope.close();
  assert.equal(scope.bytes, 0);
  for (const use of [
    () => view.get(0, 0),
    () => part.toFloats(),
    () => pw.matmul(new Float32Array(96), view),
  ]) {
    assert.throws(use, { code: 'SCOPE_CLOSED', message: /"layer 3"/ });
  }
  assert.throws(() => pw.view(packed, { scope }), { code: 'SCOPE_CLOSED' });
});

test('refusals: every method of a view refuses a closed scope, and a disposed view', () => {
  const calls = {
    get: [0, 0, 0],
    row: [0],
    toFloats: [],
    bytes: [],
    narrow: [0, 0, 1],
    everyNth: [0, 1],
    slice: [0],
    transpose: [],
    prepack: ['ROW_MAJOR'],
    prepackInPlace: ['ROW_MAJOR'],
    reshape: [[5, 96]],
    planPrepack: ['ROW_MAJOR'],
    dequantize: [],
  };
  const what = { encoding: 'Q4_0', shape: [1, 5, 96], order: 'ROW_MAJOR' };
  const scope = pw.scope();
  const closed = pw.view(packed.bytes, { ...what, scope });
  const row = pw.view(packed, { scope });
  scope.close();
  const disposed = pw.view(packed.bytes, what);
  disposed.dispose();
  const prototype = Object.getPrototypeOf(closed);
  const methods = Object.getOwnPropertyNames(prototype).filter(
    (name) => typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function',
  );
  const open = pw.scope();
  for (const name of methods) {
    if (name === 'constructor' || name === 'dispose') continue;
    assert.ok(name in calls, name);
    const given = /prepack$|dequantize/.test(name)
      ? [...calls[name], { scope: open }]
      : calls[name];
    const view = name === 'row' ? row : closed;
    assert.throws(() => view[name](...given), { code: 'SCOPE_CLOSED' }, name);
    assert.throws(() => disposed[name](...given), { code: 'DISPOSED' }, name);
  }
  assert.equal(open.bytes, 0);
  open.close();
});

test('refusals: a disposed view says so', () => {
  const view = pw.view(packed);
  view.dispose();
  view.dispose();
  assert.ok(view.disposed);
  assert.throws(() => view.toFloats(), { code: 'DISPOSED' });
});

test('refusals: memory that cannot be had is an error that leaves everything as it was', () => {
  const scope = pw.scope();
  const view = pw.view(packed, { scope });
  const before = view.toFloats();
  const shape = [2 ** 20, 2 ** 13];
  assert.throws(
    () => pw.emptyView({ encoding: 'Q8_0', shape, order: 'ROW_MAJOR', scope }),
    (error) => ['OUT_OF_MEMORY', 'SIZE_OVERFLOW'].includes(error.code),
  );
  assert.equal(scope.bytes, packed.bytes.length);
  assert.deepEqual(view.toFloats(), before);
  scope.close();
});

test('refusals: what is refused leaves nothing in the scope', () => {
  const scope = pw.scope();
  const refused = [
    [{ encoding: 'Q4_0', shape: [1, 32], order: 'ROW_MAJOR' }, 'SIZE_MISMATCH'],
    [{ encoding: 'Q4_0', shape: [1, 33], order: 'ROW_MAJOR' }, 'NOT_BLOCK_DIVISIBLE'],
    [{ encoding: 'Q4_0', shape: [2 ** 40, 32], order: 'ROW_MAJOR' }, 'SIZE_MISMATCH'],
  ];
  for (const [options, code] of refused) {
    assert.throws(() => pw.view(new Uint8Array(17), { ...options, scope }), { code });
    assert.equal(scope.bytes, 0, code);
  }
  scope.close();
});

test('refusals: prepackForMatmul says of each other rank what to do, and that works', () => {
  const of = (shape, encoding = 'Q4_0') =>
    pw.view(packed.bytes.subarray(0, 54), { encoding, shape, order: 'ROW_MAJOR' });
  const refused = (view, message) =>
    assert.throws(() => pw.prepackForMatmul(view), { code: 'NOT_BLOCKED', message });
  refused(of([96]), /one row, .*reshape it to \[1, in\]/);
  assert.deepEqual(pw.prepackForMatmul(of([96]).reshape([1, 96])).shape, [1, 96]);
  refused(of([3, 1, 32]), /slice of a stack/);
  assert.deepEqual(pw.prepackForMatmul(of([3, 1, 32]).slice(1)).shape, [1, 32]);
  refused(of([27, 1], 'F16'), /only one order/);
});
