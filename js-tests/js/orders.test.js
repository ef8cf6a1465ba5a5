import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { PseudoRandom } from '../support/pseudo-random.js';
import { blockedEncodings, finiteWeight, sameBits } from '../support/weights.js';

const pw = await load();

test('orders: values mean the same in either order, for every encoding', () => {
  for (const encoding of blockedEncodings(pw)) {
    const packed = finiteWeight(pw, encoding, 5, 3);
    const scope = pw.scope();
    const stored = pw.view(packed, { scope });
    const fast = pw.prepackForMatmul(stored, { scope });
    assert.equal(fast.order, 'INPUT_BLOCK_MAJOR');
    assert.deepEqual(fast.strides, [1, 5]);
    assert.ok(sameBits(stored.toFloats(), pw.decode(packed.bytes, encoding)), encoding);
    assert.ok(sameBits(fast.toFloats(), stored.toFloats()), encoding);
    assert.ok(sameBits(fast.row(4), stored.row(4)), encoding);
    assert.equal(fast.get(3, packed.inputDim - 1), stored.get(3, packed.inputDim - 1));
    assert.deepEqual(pw.toCanonical(fast, { scope }).bytes(), packed.bytes, encoding);
    scope.close();
  }
});

test('orders: matmul gives the same bits in both orders and both activations', () => {
  const random = new PseudoRandom(7);
  for (const encoding of blockedEncodings(pw)) {
    const packed = finiteWeight(pw, encoding, 7, 3);
    const x = random.floats(2 * packed.inputDim);
    const scope = pw.scope();
    const stored = pw.view(packed, { scope });
    const fast = stored.prepack('INPUT_BLOCK_MAJOR', { scope });
    for (const activation of ['f32', 'int8']) {
      const [a, b] = [stored, fast].map((view) => pw.matmul(x, view, { activation }));
      assert.equal(a.length, 14);
      assert.ok(sameBits(a, b), `${encoding} ${activation}`);
    }
    scope.close();
  }
});

test('orders: matmul equals the product of the decoded values', () => {
  for (const encoding of blockedEncodings(pw)) {
    const { bytes, out, inputDim, x, y, order } = pw.fixtures.decodable(encoding);
    using(pw.view(pw.pack(bytes, { encoding, out, inputDim, order })), (view) => {
      const got = pw.matmul(x, view);
      const scale = Math.max(...y.map(Math.abs));
      got.forEach((value, i) =>
        assert.ok(Math.abs(value - y[i]) <= 1e-4 * scale, `${encoding} ${i}: ${value} ${y[i]}`),
      );
    });
  }
});

test('orders: tagged bytes convert once, however often they are asked to', () => {
  const packed = finiteWeight(pw, 'Q4_K', 5, 3);
  const kernel = pw.toKernelOrder(packed);
  assert.equal(kernel.order, 'INPUT_BLOCK_MAJOR');
  assert.equal(pw.toKernelOrder(kernel), kernel);
  assert.equal(pw.toCanonicalOrder(packed), packed);
  assert.deepEqual(pw.toCanonicalOrder(kernel).bytes, packed.bytes);
  assert.notDeepEqual(kernel.bytes, packed.bytes);
});

test('orders: untagged bytes must state theirs', () => {
  const bytes = new Uint8Array(18 * 15);
  const what = { encoding: 'Q4_0', out: 5, inputDim: 96 };
  assert.throws(() => pw.pack(bytes, what), { code: 'ORDER_REQUIRED' });
  assert.throws(() => pw.toKernelOrder(bytes), { code: 'ORDER_REQUIRED' });
  assert.throws(() => pw.view(bytes, { encoding: 'Q4_0', shape: [5, 96] }), {
    code: 'ORDER_REQUIRED',
  });
});

test('orders: prepack of what is in order already is the same object and no event', () => {
  const trace = pw.trace();
  using(pw.view(finiteWeight(pw, 'Q8_0', 4, 2)), (view) => {
    assert.equal(view.prepack('ROW_MAJOR', { sink: trace }), view);
    assert.deepEqual(trace.events, []);
    const fast = view.prepack('INPUT_BLOCK_MAJOR', { sink: trace });
    assert.equal(pw.prepackForMatmul(fast, { sink: trace }), fast);
    assert.deepEqual(
      trace.events.map(({ kind, what, from, to, bytes }) => ({ kind, what, from, to, bytes })),
      [
        {
          kind: 'AdapterInserted',
          what: 'prepack-input_block_major',
          from: 'ROW_MAJOR',
          to: 'INPUT_BLOCK_MAJOR',
          bytes: 4 * 2 * 34,
        },
      ],
    );
  });
});

test('orders: a transpose of packed bytes is refused and names what to call', () => {
  using(pw.view(finiteWeight(pw, 'Q8_0', 5, 3)), (view) => {
    assert.throws(() => pw.transpose(view), {
      code: 'TRANSPOSE_REFUSED',
      message: /matmulWeightTransposed/,
    });
    assert.throws(() => pw.matmul(new Float32Array(5), view.transpose()), {
      code: 'TRANSPOSE_REFUSED',
    });
  });
});

test('orders: reading one as the other disagrees, first at block (0,1)', () => {
  const packed = finiteWeight(pw, 'Q4_0', 4, 3);
  assert.equal(
    pw.disagreement(pw.fixtures.kernelOrder('Q4_K'), 'Q4_K', { kernelOrder: true }),
    null,
  );
  const wrong = pw.disagreement(pw.fixtures.canonical('Q4_K'), 'Q4_K', { kernelOrder: true });
  // In kernel order the second place belongs to (1,0); there stands (0,1).
  assert.equal(wrong.flatIndex, 1);
  assert.deepEqual(wrong.found, { o: 0, b: 1 });
  assert.equal(packed.blocksPerRow, 3);
});

function using(view, use) {
  try {
    use(view);
  } finally {
    view.dispose();
  }
}
