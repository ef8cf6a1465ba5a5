// bitnetGemv on ternary weights against the sum that defines it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { PseudoRandom } from '../support/pseudo-random.js';
import { finiteWeight, sameBits } from '../support/weights.js';

const pw = await load();
const orders = ['ROW_MAJOR', 'INPUT_BLOCK_MAJOR'];
const out = 7;
const inputDim = 768;
const scale = 0.75;
const random = new PseudoRandom(5);
const values = Float32Array.from({ length: out * inputDim }, () => scale * (random.below(3) - 1));
const x = random.floats(inputDim);

/** Row o of the weights times x, from a row's part on. */
const product = (o, from = 0, end = inputDim) => {
  let sum = 0;
  for (let i = from; i < end; ++i) sum += values[o * inputDim + i] * x[i];
  return sum;
};

const ternary = (encoding, scope) =>
  pw.view(pw.ternary.encode(values, encoding).bytes, {
    encoding,
    shape: [out, inputDim],
    order: 'ROW_MAJOR',
    scope,
  });

const close = (actual, expected, activation) => {
  // int8 rounds every x by at most half a 127th of the greatest, 2: a bound on the sum of such errors.
  const bound = activation === 'f32' ? 1e-3 : (inputDim * scale * 2) / 254;
  assert.ok(Math.abs(actual - expected) <= bound, `${actual} is not about ${expected}`);
};

for (const encoding of ['TQ1_0', 'TQ2_0']) {
  test(`bitnetGemv: ${encoding} is the exact product, the same bits in either order`, () => {
    const scope = pw.scope();
    for (const activation of ['f32', 'int8']) {
      const [rows, fed] = orders.map((order) => {
        const trace = pw.trace();
        const w = ternary(encoding, scope).prepack(order);
        assert.equal(w.order, order);
        const y = pw.bitnetGemv(x, w, { activation, sink: trace });
        // A kernel of its own for each order: neither the reference nor a copy.
        assert.deepEqual(
          trace.events.map(({ kind }) => kind),
          ['KernelRun'],
        );
        return y;
      });
      assert.ok(sameBits(rows, fed));
      rows.forEach((y, o) => close(y, product(o), activation));
    }
    scope.close();
  });

  test(`bitnetGemv: a narrowed ${encoding} reads its own rows, in either order`, () => {
    const scope = pw.scope();
    const all = pw.bitnetGemv(x, ternary(encoding, scope));
    for (const order of orders) {
      const w = ternary(encoding, scope).prepack(order);
      for (let from = 0; from < out; ++from) {
        const y = pw.bitnetGemv(x, w.narrow(0, from, out - from));
        assert.ok(sameBits(y, all.slice(from)));
      }
      const stepped = pw.bitnetGemv(x, w.everyNth(0, 3));
      assert.ok(sameBits(stepped, Float32Array.of(all[0], all[3], all[6])));
    }
    scope.close();
  });

  test(`bitnetGemv: a ${encoding} narrowed along its rows reads its own blocks, in either order`, () => {
    const scope = pw.scope();
    for (const order of orders) {
      const part = ternary(encoding, scope).prepack(order).narrow(1, 256, 512);
      const y = pw.bitnetGemv(x.slice(256), part);
      y.forEach((each, o) => close(each, product(o, 256), 'f32'));
    }
    scope.close();
  });
}

test('bitnetGemv: TQ1_0 and TQ2_0 of the same weights give the same bits', () => {
  const scope = pw.scope();
  for (const activation of ['f32', 'int8']) {
    const [one, two] = ['TQ1_0', 'TQ2_0'].map((encoding) =>
      pw.bitnetGemv(x, ternary(encoding, scope), { activation }),
    );
    assert.ok(sameBits(one, two));
  }
  scope.close();
});

test('bitnetGemv: weights that are not ternary, and more than one vector, are refused', () => {
  const scope = pw.scope();
  const q4 = pw.view(finiteWeight(pw, 'Q4_K', 4, 3), { scope });
  assert.throws(() => pw.bitnetGemv(x, q4), { code: 'UNSUPPORTED_ENCODING' });
  const w = ternary('TQ2_0', scope);
  assert.throws(() => pw.bitnetGemv(new Float32Array(2 * inputDim), w), { code: 'SHAPE_MISMATCH' });
  const broken = x.with(9, NaN);
  assert.throws(() => pw.bitnetGemv(broken, w, { activation: 'int8' }), {
    code: 'ELEMENT_NOT_FINITE',
  });
  scope.close();
  assert.throws(() => pw.bitnetGemv(x, w), { code: 'SCOPE_CLOSED' });
});

const bitnet = (scope) =>
  pw.ternary.weight(pw.ternary.encode(values, 'BITNET_B1_58').bytes, {
    out,
    inputDim,
    order: 'ROW_MAJOR',
    scope,
  });

test('bitnetGemv: BITNET_B1_58 gives the bits of TQ2_0, in either order and narrowed', () => {
  const trace = pw.trace();
  const scope = pw.scope();
  const w = bitnet(scope);
  assert.deepEqual(w.shape, [out, inputDim]);
  const fed = w.prepack('INPUT_BLOCK_MAJOR', { sink: trace });
  assert.equal(fed.prepack('INPUT_BLOCK_MAJOR', { sink: trace }), fed);
  assert.deepEqual(
    trace.events.map(({ kind }) => kind),
    ['AdapterInserted'],
  );
  for (const activation of ['f32', 'int8']) {
    const expected = pw.bitnetGemv(x, ternary('TQ2_0', scope), { activation });
    for (const each of [w, fed]) {
      assert.ok(sameBits(pw.bitnetGemv(x, each, { activation }), expected));
      const part = each.narrow(2, 4);
      assert.ok(sameBits(pw.bitnetGemv(x, part, { activation }), expected.slice(2, 6)));
      assert.equal(part.get(1, 300), values[3 * inputDim + 300]);
    }
  }
  scope.close();
  assert.throws(() => w.narrow(2, 4), { code: 'SCOPE_CLOSED' });
  assert.throws(() => w.prepack('ROW_MAJOR', { scope: pw.scope() }), { code: 'SCOPE_CLOSED' });
  assert.throws(() => pw.bitnetGemv(x, w), { code: 'SCOPE_CLOSED' });
});

test('bitnetGemv: BITNET_B1_58 that is not what it is said to be is refused, and leaves nothing', () => {
  const scope = pw.scope();
  const { bytes } = pw.ternary.encode(values, 'BITNET_B1_58');
  const make = (given, what) =>
    pw.ternary.weight(given, { out, inputDim, order: 'ROW_MAJOR', scope, ...what });
  const code3 = bytes.with(1, 0x30 | bytes[1]);
  assert.throws(() => make(code3), { code: 'INVALID_CODE', message: /element 6/ });
  assert.throws(() => make(bytes, { out: 8 }), { code: 'SIZE_MISMATCH' });
  assert.throws(() => make(bytes, { order: undefined }), { code: 'ORDER_REQUIRED' });
  assert.throws(() => make(bytes, { scope: undefined }), { code: 'INVALID_ARGUMENT' });
  assert.equal(scope.bytes, 0);
  const w = bitnet(scope);
  assert.throws(() => pw.bitnetGemv(x.subarray(1), w), { code: 'SHAPE_MISMATCH' });
  assert.throws(() => w.narrow(3, 5), { code: 'OUT_OF_RANGE' });
  w.dispose();
  assert.throws(() => pw.bitnetGemv(x, w), { code: 'DISPOSED' });
  scope.close();
});
