import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as a from '../../web/src/picture/arrangement.js';

const grids = fc.record({
  out: fc.integer({ min: 1, max: 60 }),
  blocksPerRow: fc.integer({ min: 1, max: 60 }),
});

/** The memory of an order as a plain list of blocks, written by two loops. */
function memory(order, { out, blocksPerRow }) {
  const list = [];
  if (order === 'ROW_MAJOR') {
    for (let o = 0; o < out; o++) for (let b = 0; b < blocksPerRow; b++) list.push({ o, b });
  } else {
    for (let b = 0; b < blocksPerRow; b++) for (let o = 0; o < out; o++) list.push({ o, b });
  }
  return list;
}

test('arrangement: places are the two orders of the 2 x 3 picture of block_order.h', () => {
  const grid = { out: 2, blocksPerRow: 3 };
  const at = (o, b) => a.ORDERS.map((order) => a.placeOf(order, grid, { o, b }));
  assert.deepEqual(
    [at(0, 0), at(0, 1), at(0, 2)],
    [
      [0, 0],
      [1, 2],
      [2, 4],
    ],
  );
  assert.deepEqual(
    [at(1, 0), at(1, 1), at(1, 2)],
    [
      [3, 1],
      [4, 3],
      [5, 5],
    ],
  );
});

test('arrangement: placeOf and blockAtPlace walk every memory like two plain loops', () => {
  fc.assert(
    fc.property(grids, (grid) => {
      for (const order of a.ORDERS) {
        memory(order, grid).forEach((block, place) => {
          assert.equal(a.placeOf(order, grid, block), place);
          assert.deepEqual(a.blockAtPlace(order, grid, place), block);
        });
      }
    }),
  );
});

test('arrangement: a misread block is the one that stands where the kernel would look', () => {
  fc.assert(
    fc.property(grids, (grid) => {
      const file = memory('ROW_MAJOR', grid);
      let moved = 0;
      memory('INPUT_BLOCK_MAJOR', grid).forEach((block, place) => {
        assert.deepEqual(a.misreadBlock(grid, block), file[place]);
        if (block.o !== file[place].o || block.b !== file[place].b) moved++;
      });
      assert.equal(a.displacedCount(grid), moved);
    }),
  );
});

test('arrangement: one block per row displaces nothing', () => {
  assert.equal(a.displacedCount({ out: 4096, blocksPerRow: 1 }), 0);
  assert.equal(a.displacedCount({ out: 1, blocksPerRow: 9 }), 0);
  assert.equal(a.displacedCount({ out: 5, blocksPerRow: 3 }), 12);
});

test('arrangement: panels fill the stage, side by side or stacked', () => {
  assert.deepEqual(a.panelRects(1001, 300, { gap: 21, stacked: false }), [
    { x: 0, y: 0, width: 490, height: 300 },
    { x: 511, y: 0, width: 490, height: 300 },
  ]);
  assert.deepEqual(a.panelRects(300, 620, { gap: 20, stacked: true }), [
    { x: 0, y: 0, width: 300, height: 300 },
    { x: 0, y: 320, width: 300, height: 300 },
  ]);
});
