// Views, scopes, sessions and loading against plain arrays: what the module computes is what a dense value
// would have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'packed-weights';
import { PseudoRandom } from '../support/pseudo-random.js';
import { finiteWeight, sameBits } from '../support/weights.js';

const pw = await load();
const orders = ['ROW_MAJOR', 'INPUT_BLOCK_MAJOR'];
const code = (expected) => (error) => error.name === 'PackedError' && error.code === expected;

/** A dense [out, in] value; every operation is its definition. */
class Dense {
  constructor(rows) {
    this.rows = rows;
  }
  narrow(axis, from, size) {
    if (axis === 0) return new Dense(this.rows.slice(from, from + size));
    return new Dense(this.rows.map((row) => row.slice(from, from + size)));
  }
  everyNth(step) {
    return new Dense(this.rows.filter((_, o) => o % step === 0));
  }
  transpose() {
    return new Dense(this.rows[0].map((_, i) => this.rows.map((row) => row[i])));
  }
  get flat() {
    return Float32Array.from(this.rows.flat());
  }
}

const denseOf = (packed) => {
  const values = pw.decode(packed.bytes, packed.encoding);
  const row = (o) => [...values.subarray(o * packed.inputDim, (o + 1) * packed.inputDim)];
  return new Dense(Array.from({ length: packed.out }, (_, o) => row(o)));
};

test('values: any chain of narrow, everyNth and transpose equals a dense value in either order', () => {
  const step = fc.record({
    kind: fc.constantFrom('rows', 'blocks', 'every', 'turn'),
    from: fc.nat(9),
    size: fc.nat(9),
  });
  fc.assert(
    fc.property(
      fc.constantFrom('Q4_0', 'Q8_0', 'NVFP4'),
      fc.constantFrom(...orders),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { maxLength: 5 }),
      (encoding, order, out, blocksPerRow, steps) => {
        const packed = finiteWeight(pw, encoding, out, blocksPerRow);
        const { elements } = pw.encodings[encoding];
        const scope = pw.scope();
        let view = pw.view(packed, { scope }).prepack(order);
        let dense = denseOf(packed);
        let turned = false;
        for (const { kind, from, size } of steps) {
          const blockedAxis = turned ? 0 : 1;
          const [rows, values] = turned ? [...view.shape].reverse() : view.shape;
          if (kind === 'turn') {
            view = view.transpose();
            dense = dense.transpose();
            turned = !turned;
          } else if (kind === 'blocks') {
            const blocks = values / elements;
            const start = from % blocks;
            const count = 1 + (size % (blocks - start));
            view = view.narrow(blockedAxis, start * elements, count * elements);
            dense = dense.narrow(blockedAxis, start * elements, count * elements);
          } else if (kind === 'rows') {
            const start = from % rows;
            const count = 1 + (size % (rows - start));
            view = view.narrow(1 - blockedAxis, start, count);
            dense = dense.narrow(1 - blockedAxis, start, count);
          } else if (!turned) {
            view = view.everyNth(0, 1 + size);
            dense = dense.everyNth(1 + size);
          } else {
            assert.throws(() => view.everyNth(0, 2), code('NOT_BLOCK_ALIGNED'));
          }
        }
        assert.deepEqual(view.shape, [dense.rows.length, dense.rows[0].length]);
        assert.ok(sameBits(view.toFloats(), dense.flat));
        const last = dense.rows.length - 1;
        assert.ok(sameBits(view.row(last), Float32Array.from(dense.rows[last])));
        assert.equal(view.get(last, 0), dense.rows[last][0]);
        scope.close();
      },
    ),
    { numRuns: 300 },
  );
});

test('values: memory that grows in the middle of a call invalidates nothing that the user holds', () => {
  const scope = pw.scope();
  const packed = finiteWeight(pw, 'Q4_0', 8, 4);
  const view = pw.view(packed, { scope });
  const values = view.toFloats();
  const bytes = view.bytes();
  const before = values.slice();
  const x = new PseudoRandom(3).floats(packed.inputDim);
  const expected = pw.matmul(x, view);
  // The sink is called while the module works: looking at a weight, of whose values there are more each time, it makes
  // the memory grow.
  const shape = [1 << 21, 32];
  const large = pw.view(new Uint8Array(36 << 20), {
    encoding: 'Q4_0',
    shape,
    order: 'ROW_MAJOR',
    scope,
  });
  let held = 0;
  const growing = () => {
    const rows = Math.min(shape[0], 1 << (19 + held++));
    assert.equal(large.narrow(0, 0, rows).toFloats().length, rows * 32);
  };
  const fed = view.prepack('INPUT_BLOCK_MAJOR', { sink: growing });
  assert.ok(sameBits(pw.matmul(x, fed, { sink: growing }), expected));
  assert.ok(sameBits(values, before));
  assert.deepEqual(bytes, packed.bytes);
  assert.ok(sameBits(view.toFloats(), before));
  assert.ok(held >= 2);
  scope.close();
});

test('values: use after close names the scope', () => {
  const scope = pw.scope({ name: 'layer 3' });
  const view = pw.view(finiteWeight(pw, 'Q4_0', 4, 3), { scope });
  scope.close();
  for (const use of [() => view.get(0, 0), () => view.toFloats(), () => view.bytes()]) {
    assert.throws(use, (error) => error.code === 'SCOPE_CLOSED' && /"layer 3"/.test(error.message));
  }
  assert.throws(() => view.prepack('INPUT_BLOCK_MAJOR'), code('SCOPE_CLOSED'));
});

test('values: a prepacked buffer is not reshaped, and a view made before an in-place relayout is stale', () => {
  const scope = pw.scope();
  const view = pw.view(finiteWeight(pw, 'Q4_0', 4, 6), { scope });
  assert.deepEqual(view.reshape([2, 2, 192]).shape, [2, 2, 192]);
  assert.throws(() => view.prepack('INPUT_BLOCK_MAJOR').reshape([8, 96]), code('RESHAPE_REFUSED'));
  assert.deepEqual(view.planPrepack('INPUT_BLOCK_MAJOR'), {
    needed: true,
    bytes: 432,
    scratchBytes: 22,
  });
  const values = view.toFloats();
  const moved = view.prepackInPlace('INPUT_BLOCK_MAJOR');
  assert.ok(sameBits(moved.toFloats(), values));
  assert.throws(() => view.toFloats(), code('STALE_VIEW'));
  scope.close();
});

test('values: a scope with a limit refuses more and stays as it was', () => {
  const scope = pw.scope({ limit: 300 });
  const view = pw.view(finiteWeight(pw, 'Q4_0', 4, 3), { scope });
  assert.throws(() => view.prepack('INPUT_BLOCK_MAJOR'), code('OUT_OF_MEMORY'));
  assert.equal(scope.bytes, 216);
  scope.close();
});

test('session: 200 weights used in turn are relaid once each, and seen', () => {
  const trace = pw.trace();
  const scope = pw.scope();
  const packed = finiteWeight(pw, 'Q4_K', 4, 3);
  const weights = Array.from({ length: 200 }, () => pw.view(packed, { scope }));
  const session = pw.session({ cacheBytes: 200 * packed.bytes.length, sink: trace });
  const x = new PseudoRandom(3).floats(packed.inputDim);
  const expected = pw.matmul(x, weights[0]);
  for (let turn = 0; turn < 3; ++turn) {
    for (const w of weights) {
      assert.ok(sameBits(session.matmulWeightTransposed(x, w), expected));
    }
  }
  assert.equal(session.stats.misses, 200);
  assert.equal(session.stats.hits, 400);
  assert.equal(trace.events.filter(({ kind }) => kind === 'AdapterInserted').length, 200);
  pw.writeInto(weights[7], 0, finiteWeight(pw, 'Q4_K', 4, 3, 99).bytes);
  assert.ok(!sameBits(session.matmulWeightTransposed(x, weights[7]), expected));
  assert.equal(session.stats.misses, 201);
  session.clear();
  assert.equal(session.stats.bytes, 0);
  session.dispose();
  assert.throws(() => session.stats, code('DISPOSED'));
  scope.close();
});

test('prepackInPlace: who owns the bytes is the view that is to be used', () => {
  const weight = finiteWeight(pw, 'Q4_0', 5, 3);
  const before = pw.view(weight);
  const after = before.prepackInPlace('INPUT_BLOCK_MAJOR');
  const values = after.toFloats();
  before.dispose();
  assert.deepEqual(after.toFloats(), values);
  after.dispose();
  assert.ok(after.scope.closed);
  // Where nothing has to move as well.
  const same = pw.view(weight);
  const again = same.prepackInPlace('ROW_MAJOR');
  same.dispose();
  assert.deepEqual(again.bytes(), weight.bytes);
  again.dispose();
  assert.ok(same.scope.closed);
  // In a scope of the caller's nobody else closes it.
  const scope = pw.scope();
  pw.view(weight, { scope }).prepackInPlace('INPUT_BLOCK_MAJOR').dispose();
  assert.ok(!scope.closed);
  scope.close();
});

test('prepackInPlace: what was a view of the bytes before converts to nothing', () => {
  const scope = pw.scope();
  const before = pw.view(finiteWeight(pw, 'Q4_0', 5, 3), { scope });
  before.prepackInPlace('INPUT_BLOCK_MAJOR');
  for (const call of [
    () => before.prepack('ROW_MAJOR'),
    () => before.prepack('INPUT_BLOCK_MAJOR'),
    () => before.prepackInPlace('ROW_MAJOR'),
    () => pw.toCanonical(before),
    () => pw.prepackForMatmul(before),
  ]) {
    assert.throws(call, code('STALE_VIEW'), `${call}`);
  }
  scope.close();
  assert.throws(() => before.prepack('ROW_MAJOR'), code('SCOPE_CLOSED'));
});

test('explain says what matmul says of a weight that it does not take', () => {
  const scope = pw.scope();
  const { bytes, encoding } = finiteWeight(pw, 'Q4_K', 4, 3);
  const stack = pw.view(bytes, { encoding, shape: [2, 2, 768], order: 'ROW_MAJOR', scope });
  const views = { rank: stack, layout: stack.slice(0).transpose() };
  for (const [field, view] of Object.entries(views)) {
    const answer = pw.explain(view);
    assert.deepEqual([answer.kernel, answer.field], [null, field]);
    assert.throws(
      () => pw.matmul(new Float32Array(view.shape.at(-1)), view),
      ({ message }) => message === answer.message,
    );
  }
  assert.notEqual(pw.explain(stack.slice(0)).kernel, null);
  scope.close();
});

test('explain: names what runs for a weight, and for a part with holes in either order', () => {
  const scope = pw.scope();
  for (const order of orders) {
    const part = pw
      .view(finiteWeight(pw, 'Q4_K', 4, 3), { scope })
      .prepack(order)
      .narrow(0, 1, 2);
    for (const activation of ['f32', 'int8']) {
      const sink = pw.trace();
      pw.matmul(new Float32Array(768), part, { activation, sink });
      const ran = sink.events.find(({ kind }) => kind === 'KernelRun').kernel;
      assert.equal(pw.explain(part, { activation }).kernel, ran);
    }
  }
  const view = pw.view(finiteWeight(pw, 'Q4_K', 4, 3), { scope });
  const answer = pw.explain(view, { activation: 'int8' });
  assert.match(answer.key, /^matmul\(F32 contiguous int8 x F32\/Q4_K blocked_row_major\) @/);
  assert.match(answer.kernel, /^matmul_int8_q4_k_row_major_/);
  for (const activation of ['INT8', 9, null]) {
    assert.throws(() => pw.explain(view, { activation }), code('INVALID_ARGUMENT'));
  }
  scope.close();
});

test('matmul: int8 of plain weights is their f32 kernel, and explain says so', () => {
  const scope = pw.scope();
  for (const [encoding, size] of Object.entries({ F64: 8, F32: 4, F16: 2, BF16: 2, I8: 1 })) {
    // No byte of them makes an exponent of infinity.
    const bytes = new Uint8Array(6 * 40 * size).map((_, i) => (i * 37) & 0x3b);
    const whole = pw.view(bytes, { encoding, shape: [6, 40], order: 'ROW_MAJOR', scope });
    for (const w of [whole, whole.narrow(0, 1, 3), whole.transpose()]) {
      const trace = pw.trace();
      const x = new PseudoRandom(9).floats(2 * w.shape[1]);
      const rounded = pw.matmul(x, w, { activation: 'int8', sink: trace });
      assert.ok(sameBits(rounded, pw.matmul(x, w, { activation: 'f32' })), encoding);
      assert.deepEqual(
        trace.events.map(({ kind, kernel }) => [kind, kernel]),
        [['KernelRun', pw.explain(w, { activation: 'f32' }).kernel]],
      );
      assert.deepEqual(pw.explain(w, { activation: 'int8' }), pw.explain(w, { activation: 'f32' }));
    }
  }
  scope.close();
});

test('weightForm: label, order and encoding as asked; what cannot be fed is said', async () => {
  const packed = finiteWeight(pw, 'Q8_0', 5, 4);
  const norm = new Float32Array(128).fill(1);
  const file = await pw.openGguf(
    pw.writeGguf({
      tensors: [
        { name: 'w', encoding: 'Q8_0', shape: [5, 128], bytes: packed.bytes },
        { name: 'norm', encoding: 'F32', shape: [128], bytes: norm },
      ],
    }),
  );
  const dense = denseOf(packed);
  const trace = pw.trace();
  const scope = pw.scope();
  const open = (weightForm) => file.view('w', { weightForm, scope, sink: trace });
  const stored = await file.view('w', { scope, sink: trace });
  assert.deepEqual(stored.shape, [128, 5]);
  assert.ok(sameBits(stored.toFloats(), dense.transpose().flat));
  assert.equal(trace.events.length, 0);
  assert.throws(() => pw.prepackForMatmul(stored), code('LOOKS_TRANSPOSED'));
  assert.deepEqual((await open('streaming')).shape, [128, 5]);
  const labelled = await open('legacy');
  assert.deepEqual(labelled.shape, [5, 128]);
  assert.deepEqual(labelled.bytes(), packed.bytes);
  assert.deepEqual(
    trace.events.map(({ kind, from, to }) => [kind, from, to]),
    [['LabelReversed', '[128, 5]', '[5, 128]']],
  );
  const fed = await open({ shape: 'OUT_IN', order: 'KERNEL_FEED' });
  assert.equal(fed.order, 'INPUT_BLOCK_MAJOR');
  assert.ok(sameBits(fed.toFloats(), dense.flat));
  const floats = await open({ shape: 'OUT_IN', encoding: 'dequantize' });
  assert.equal(floats.encoding, 'F32');
  assert.ok(sameBits(floats.toFloats(), dense.flat));
  await assert.rejects(open({ order: 'KERNEL_FEED' }), code('NOT_FEEDABLE'));
  await assert.rejects(
    file.view('norm', { weightForm: { shape: 'OUT_IN', order: 'KERNEL_FEED' } }),
    code('NOT_FEEDABLE'),
  );
  assert.deepEqual(
    file.feedReport().map(({ tensor, feedable, bytes }) => [tensor, feedable, bytes]),
    [
      ['w', true, packed.bytes.length],
      ['norm', false, 512],
    ],
  );
  scope.close();
  await file.close();
});
