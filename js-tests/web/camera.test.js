import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as c from '../../web/src/picture/camera.js';

const rect = { x: 10, y: 20, width: 500, height: 400 };
const scenes = fc.record({
  extent: fc.record({
    lines: fc.integer({ min: 1, max: 5000 }),
    columns: fc.integer({ min: 1, max: 5000 }),
  }),
  z: fc.double({ min: 0, max: 200, noNaN: true }),
  column: fc.integer({ min: 0, max: 4999 }),
  line: fc.integer({ min: 0, max: 4999 }),
});

test('camera: fit shows the first and the last cell inside the panel', () => {
  fc.assert(
    fc.property(scenes, ({ extent }) => {
      const frame = c.frameOf(rect, extent, c.FIT);
      const first = c.cellRect(frame, 0, 0);
      const last = c.cellRect(frame, extent.lines - 1, extent.columns - 1);
      assert.ok(first.x >= rect.x - 1e-6 && first.y >= rect.y - 1e-6);
      assert.ok(last.x + last.width <= rect.x + rect.width + 1e-6);
      assert.ok(last.y + last.height <= rect.y + rect.height + 1e-6);
    }),
  );
});

test('camera: the middle of a visible cell picks that cell, and nothing outside the panel picks', () => {
  fc.assert(
    fc.property(scenes, ({ extent, z, column, line }) => {
      const at = { line: line % extent.lines, column: column % extent.columns };
      const frame = c.frameOf(rect, extent, { z, ...at });
      const cell = c.cellRect(frame, at.line, at.column);
      const [x, y] = [cell.x + cell.width / 2, cell.y + cell.height / 2];
      assert.deepEqual(c.pick(frame, x, y), at);
      assert.equal(c.pick(frame, rect.x - 1, y), null);
      assert.equal(c.pick(frame, x, rect.y + rect.height), null);
    }),
  );
});

test('camera: reveal brings any cell into the panel and does not move when it is there', () => {
  fc.assert(
    fc.property(scenes, ({ extent, z, column, line }) => {
      const at = { line: line % extent.lines, column: column % extent.columns };
      const camera = { z, column: 0, line: 0 };
      const moved = c.reveal(camera, c.frameOf(rect, extent, camera), at.line, at.column);
      const frame = c.frameOf(rect, extent, moved);
      const cell = c.cellRect(frame, at.line, at.column);
      assert.deepEqual(c.pick(frame, cell.x + cell.width / 2, cell.y + cell.height / 2), at);
      const again = c.frameOf(rect, extent, c.reveal(moved, frame, at.line, at.column));
      assert.ok(Math.abs(again.x0 - frame.x0) < 1e-6 && Math.abs(again.y0 - frame.y0) < 1e-6);
    }),
  );
});

test('camera: zooming keeps the cell under the pointer while the panel is full', () => {
  const extent = { lines: 4000, columns: 3000 };
  const camera = { z: 4, column: 1500, line: 2000 };
  const before = c.frameOf(rect, extent, camera);
  const under = c.pick(before, 300, 200);
  const after = c.frameOf(rect, extent, c.zoomAt(camera, before, 300, 200, 2));
  assert.deepEqual(c.pick(after, 300, 200), under);
  assert.equal(after.sx, 8);
});

test('camera: panning moves the picture by that many pixels and stops at the ends', () => {
  const extent = { lines: 4000, columns: 3000 };
  const camera = { z: 4, column: 1500, line: 2000 };
  const before = c.frameOf(rect, extent, camera);
  const after = c.frameOf(rect, extent, c.pan(camera, before, 30, -10));
  assert.ok(Math.abs(after.x0 - before.x0 - 30) < 1e-6);
  assert.ok(Math.abs(after.y0 - before.y0 + 10) < 1e-6);
  const end = c.frameOf(rect, extent, c.pan(camera, before, 1e9, 0));
  assert.equal(end.x0, rect.x);
});

test('camera: a tall narrow grid is stretched across the panel, a small one stays square', () => {
  const tall = c.frameOf(rect, { lines: 4096, columns: 56 }, c.FIT);
  assert.ok(tall.sx > 8 && tall.sy < 0.1);
  const small = c.frameOf(rect, { lines: 2, columns: 3 }, c.FIT);
  assert.equal(small.sx, small.sy);
});
