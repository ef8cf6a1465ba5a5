// Views of rank 1 to 4 against plain nested arrays: any chain of operations shows what the definition of each
// operation gives, in either order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'packed-weights';
import { finiteWeight, sameBits } from '../support/weights.js';

const pw = await load();
const seed = 20240611;

/** Values under a shape, last axis fastest. Every operation is "which old index does a new one show". */
class Dense {
  constructor(shape, values) {
    this.shape = shape;
    this.values = values;
  }

  at(index) {
    return this.values[index.reduce((place, i, axis) => place * this.shape[axis] + i, 0)];
  }

  /** The value of `shape` whose element at an index is this one's at `from(index)`. */
  picked(shape, from) {
    const count = shape.reduce((product, size) => product * size, 1);
    const values = new Float32Array(count);
    const index = shape.map(() => 0);
    for (let i = 0; i < count; ++i) {
      values[i] = this.at(from(index));
      for (let axis = shape.length - 1; axis >= 0; --axis) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
    return new Dense(shape, values);
  }

  narrow(axis, from, size) {
    return this.picked(this.shape.with(axis, size), (index) =>
      index.with(axis, index[axis] + from),
    );
  }

  everyNth(axis, step) {
    const size = Math.ceil(this.shape[axis] / step);
    return this.picked(this.shape.with(axis, size), (index) =>
      index.with(axis, index[axis] * step),
    );
  }

  slice(expert) {
    return this.picked(this.shape.slice(1), (index) => [expert, ...index]);
  }

  transpose() {
    const swapped = (list) => [...list.slice(0, -2), list.at(-1), list.at(-2)];
    return this.picked(swapped(this.shape), swapped);
  }
}

/** The same operation on both, or null where the view must refuse it, or where it means nothing. */
function applied({ view, dense, turned }, { kind, axis: anyAxis, from, size }, elements) {
  const rank = dense.shape.length;
  const axis = anyAxis % rank;
  const blocked = axis === (turned ? rank - 2 : rank - 1);
  const unit = blocked ? elements : 1;
  const both = (operation, ...given) => ({
    view: view[operation](...given),
    dense: dense[operation](...given),
    turned,
  });
  if (kind === 'narrow') {
    const units = dense.shape[axis] / unit;
    const start = from % units;
    return both('narrow', axis, start * unit, (1 + (size % (units - start))) * unit);
  }
  if (kind === 'every' && !blocked) return both('everyNth', axis, 1 + (size % 4));
  if (kind === 'every') {
    assert.equal(view.everyNth(axis, 1).shape[axis], dense.shape[axis]);
    assert.throws(() => view.everyNth(axis, 2), { code: 'NOT_BLOCK_ALIGNED' });
    return null;
  }
  if (kind === 'slice' && rank > 2) return both('slice', from % dense.shape[0]);
  if (kind === 'turn' && rank > 1) return { ...both('transpose'), turned: !turned };
  return null;
}

function assertSame(view, dense) {
  assert.deepEqual(view.shape, dense.shape);
  assert.ok(sameBits(view.toFloats(), dense.values));
  const first = dense.shape.map(() => 0);
  const last = dense.shape.map((size) => size - 1);
  const middle = dense.shape.map((size) => size >> 1);
  for (const index of [first, middle, last]) {
    assert.ok(Object.is(view.get(...index), dense.at(index)));
  }
  if (dense.shape.length !== 2) return;
  const row = dense.shape[0] >> 1;
  assert.ok(sameBits(view.row(row), dense.narrow(0, row, 1).values));
}

const step = fc.record({
  kind: fc.constantFrom('narrow', 'narrow', 'every', 'slice', 'turn'),
  axis: fc.nat(11),
  from: fc.nat(9),
  size: fc.nat(9),
});

for (const encoding of ['Q4_0', 'Q6_K', 'NVFP4']) {
  test(`any rank: chains of narrow, everyNth, slice and transpose equal a dense value (${encoding})`, () => {
    const { elements } = pw.encodings[encoding];
    const ranks = new Set();
    fc.assert(
      fc.property(
        fc.constantFrom('ROW_MAJOR', 'INPUT_BLOCK_MAJOR'),
        // Sizes of the axes before the last one, and blocks of the last one.
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 6 }),
        (order, outer, blocksPerRow, steps) => {
          const rows = outer.reduce((product, size) => product * size, 1);
          const { bytes } = finiteWeight(pw, encoding, rows, blocksPerRow, rows + blocksPerRow);
          const shape = [...outer, blocksPerRow * elements];
          ranks.add(`${shape.length} ${order}`);
          const scope = pw.scope();
          const stored = pw.view(bytes, { encoding, shape, order: 'ROW_MAJOR', scope });
          let state = {
            view: stored.prepack(order),
            dense: new Dense(shape, pw.decode(bytes, encoding)),
            turned: false,
          };
          assertSame(state.view, state.dense);
          for (const each of steps) {
            state = applied(state, each, elements) ?? state;
            assertSame(state.view, state.dense);
          }
          // A relayout of what is left, in the other order, still shows the same.
          if (!state.turned) {
            const other = order === 'ROW_MAJOR' ? 'INPUT_BLOCK_MAJOR' : 'ROW_MAJOR';
            assertSame(state.view.prepack(other), state.dense);
          }
          scope.close();
        },
      ),
      { numRuns: 150, seed },
    );
    assert.equal(ranks.size, 8, 'every rank in either order was tried');
  });
}
