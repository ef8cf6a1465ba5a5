import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { blockAt, extent, lineAxis, placeOf, ORDERS } from '../../web/src/picture/arrangement.js';
import { frameOf, FIT } from '../../web/src/picture/camera.js';
import { PALETTE, identityLevel } from '../../web/src/picture/colour-map.js';
import { buildPyramid, chooseLevel } from '../../web/src/picture/pyramid.js';
import { drawPanel, hashPixels } from '../../web/src/picture/raster.js';
import {
  drawFlight,
  flyingLevel,
  progressOf,
  steppedTime,
  timeOf,
} from '../../web/src/picture/flight.js';

const BACKGROUND = 0xff010203;

function noise(length, seed = 1) {
  let s = seed >>> 0 || 1;
  return Uint8Array.from({ length }, () => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) >>> 24);
}

const scenes = fc.record({
  out: fc.integer({ min: 1, max: 700 }),
  blocksPerRow: fc.integer({ min: 1, max: 90 }),
  order: fc.constantFrom(...ORDERS),
  wrap: fc.constantFrom('memory', 'logical'),
  z: fc.double({ min: 0, max: 20, noNaN: true }),
  seed: fc.integer({ min: 1 }),
});

function scene({ out, blocksPerRow, order, wrap, z, seed }, channel) {
  const grid = { out, blocksPerRow };
  const axis = lineAxis(order, wrap);
  const screen = { pixels: new Uint32Array(90 * 70).fill(7), width: 90, height: 70 };
  const rect = { x: 5, y: 4, width: 80, height: 60 };
  const base = noise(out * blocksPerRow, seed);
  const frame = frameOf(rect, extent(grid, axis), { z, column: 3, line: 2 });
  const levels = buildPyramid(base, grid);
  const picture = {
    grid,
    axis,
    channel,
    levels,
    colourOrder: order,
    palette: PALETTE,
    background: BACKGROUND,
  };
  return { grid, axis, screen, rect, base, frame, levels, picture, order };
}

/** Cells of size `step` that a pixel shows on one axis: by walking all of them. */
function shown(p, start, step, cells) {
  const list = [];
  for (let c = 0; c < cells; c++) {
    const [begin, end] = [start + c * step, start + (c + 1) * step];
    const mine =
      step >= 1 ? begin <= p + 1e-6 && end > p + 1e-6 : begin >= p - 1e-6 && begin < p + 1 - 1e-6;
    if (mine) list.push(c);
  }
  return list;
}

test('raster: every pixel shows the largest of the blocks that begin in it', () => {
  fc.assert(
    fc.property(scenes, (s) => {
      const { grid, axis, screen, rect, base, frame, levels, picture } = scene(s, 'levels');
      drawPanel(screen, frame, picture);
      const level =
        axis === 'o'
          ? chooseLevel(levels, frame.sy, frame.sx)
          : chooseLevel(levels, frame.sx, frame.sy);
      const [perLine, perColumn] =
        axis === 'o' ? [level.perO, level.perB] : [level.perB, level.perO];
      const { lines, columns } = frame.extent;
      for (let y = rect.y; y < rect.y + rect.height; y += 7) {
        for (let x = rect.x; x < rect.x + rect.width; x += 7) {
          let largest = -1;
          for (const l of shown(y, frame.y0, frame.sy * perLine, Math.ceil(lines / perLine)))
            for (const c of shown(
              x,
              frame.x0,
              frame.sx * perColumn,
              Math.ceil(columns / perColumn),
            ))
              for (let line = l * perLine; line < Math.min(lines, (l + 1) * perLine); line++)
                for (
                  let column = c * perColumn;
                  column < Math.min(columns, (c + 1) * perColumn);
                  column++
                ) {
                  const { o, b } = blockAt(axis, line, column);
                  largest = Math.max(largest, base[o * grid.blocksPerRow + b]);
                }
          const expected = largest < 0 ? BACKGROUND : PALETTE[largest];
          assert.equal(screen.pixels[y * screen.width + x], expected, `pixel ${x},${y}`);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('raster: position and identity colours follow from the coordinates', () => {
  fc.assert(
    fc.property(scenes, fc.constantFrom('position', 'identity'), (s, channel) => {
      const { grid, axis, screen, rect, frame, picture, order } = scene(s, channel);
      drawPanel(screen, frame, picture);
      const last = Math.max(1, grid.out * grid.blocksPerRow - 1);
      for (let y = rect.y; y < rect.y + rect.height; y += 5) {
        for (let x = rect.x; x < rect.x + rect.width; x += 5) {
          const [line] = shown(y, frame.y0, frame.sy, frame.extent.lines);
          const [column] = shown(x, frame.x0, frame.sx, frame.extent.columns);
          const seen = screen.pixels[y * screen.width + x];
          if (line === undefined || column === undefined) {
            assert.equal(seen, BACKGROUND);
            continue;
          }
          const block = blockAt(axis, line, column);
          if (channel === 'identity') {
            assert.equal(seen, PALETTE[identityLevel(block.o, block.b)]);
            continue;
          }
          const exact = (placeOf(order, grid, block) * 255) / last;
          const near = [Math.floor(exact + 0.5 - 1e-6), Math.floor(exact + 0.5 + 1e-6)];
          assert.ok(near.some((v) => PALETTE[v] === seen));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('raster: nothing is written outside the panel or the clip', () => {
  const { screen, rect, frame, picture } = scene(
    { out: 40, blocksPerRow: 30, order: 'ROW_MAJOR', wrap: 'memory', z: 4, seed: 5 },
    'levels',
  );
  drawPanel(screen, frame, picture, { from: 30, to: 50 });
  for (let y = 0; y < screen.height; y++) {
    for (let x = 0; x < screen.width; x++) {
      const inside = x >= 30 && x < 50 && y >= rect.y && y < rect.y + rect.height;
      assert.equal(screen.pixels[y * screen.width + x] !== 7, inside, `${x},${y}`);
    }
  }
});

test('pyramid: every level holds the largest of its blocks and the whole costs a third more', () => {
  for (const grid of [
    { out: 1, blocksPerRow: 1 },
    { out: 3001, blocksPerRow: 57 },
    { out: 9, blocksPerRow: 5000 },
    { out: 700, blocksPerRow: 700 },
  ]) {
    const base = noise(grid.out * grid.blocksPerRow, 9);
    const levels = buildPyramid(base, grid);
    for (const { values, out, blocks, perO, perB } of levels) {
      assert.equal(values.length, out * blocks);
      for (let step = 0; step < 50; step++) {
        const [po, pb] = [Math.floor((step / 50) * out), (step * 37) % blocks];
        let largest = 0;
        for (let o = po * perO; o < Math.min(grid.out, (po + 1) * perO); o++)
          for (let b = pb * perB; b < Math.min(grid.blocksPerRow, (pb + 1) * perB); b++)
            largest = Math.max(largest, base[o * grid.blocksPerRow + b]);
        assert.equal(values[po * blocks + pb], largest);
      }
    }
    const bytes = levels.reduce((sum, { values }) => sum + values.length, 0);
    assert.ok(bytes <= 1.35 * base.length + 1024, `${bytes} for ${base.length}`);
  }
});

test('raster: it is indifferent to the order of the file, a cell has its colour in both panels', () => {
  const s = { out: 12, blocksPerRow: 9, wrap: 'memory', z: 0, seed: 3 };
  const seen = ORDERS.map((order) => {
    const { screen, frame, picture, axis } = scene({ ...s, order }, 'levels');
    drawPanel(screen, frame, picture);
    const colours = new Map();
    for (let line = 0; line < frame.extent.lines; line++)
      for (let column = 0; column < frame.extent.columns; column++) {
        const x = Math.floor(frame.x0 + (column + 0.5) * frame.sx);
        const y = Math.floor(frame.y0 + (line + 0.5) * frame.sy);
        const { o, b } = blockAt(axis, line, column);
        colours.set(`${o},${b}`, screen.pixels[y * screen.width + x]);
      }
    return colours;
  });
  assert.equal(seen[0].size, 108);
  for (const [block, colour] of seen[0]) assert.equal(seen[1].get(block), colour);
});

/** A weight between its two panels, and the kernel's panel at rest. */
function flightOf(grid, room) {
  const base = noise(grid.out * grid.blocksPerRow, 4).map((v) => v | 1);
  const levels = buildPyramid(base, grid);
  const left = { x: 0, y: 0, width: room, height: room };
  const right = { x: room + 40, y: 0, width: room, height: room };
  const width = 2 * room + 40;
  const screen = () => ({
    pixels: new Uint32Array(width * room).fill(BACKGROUND),
    width,
    height: room,
  });
  const from = frameOf(left, extent(grid, 'o'), FIT);
  const to = frameOf(right, extent(grid, 'b'), FIT);
  const rules = { channel: 'levels', levels, colourOrder: 'ROW_MAJOR' };
  const picture = { grid, axis: 'b', ...rules, palette: PALETTE, background: BACKGROUND };
  const still = screen();
  drawPanel(still, to, picture);
  const draw = (t) => {
    const flown = screen();
    drawFlight(flown, from, to, levels[0], picture, still.pixels, t);
    return flown;
  };
  return { draw, still, from, to, right, values: base };
}

test('flight: at 1 the landed blocks are the static picture of kernel order, at 0 nothing has left', () => {
  for (const [grid, room] of [
    [{ out: 10, blocksPerRow: 8 }, 80],
    [{ out: 300, blocksPerRow: 200 }, 90],
  ]) {
    const { draw, still, right } = flightOf(grid, room);
    const { pixels, width } = draw(1);
    assert.equal(hashPixels(pixels, width, right), hashPixels(still.pixels, width, right));
    assert.ok(draw(0).pixels.every((p) => p === BACKGROUND));
  }
});

test('flight: every block is where its way has brought it, as a cell or as a point', () => {
  for (const [grid, room] of [
    [{ out: 10, blocksPerRow: 8 }, 80],
    [{ out: 120, blocksPerRow: 110 }, 90],
  ]) {
    const { draw, from, to, values } = flightOf(grid, room);
    const total = grid.out * grid.blocksPerRow;
    for (const t of [0.1, 0.4, 0.5, 0.7, 0.95]) {
      const { pixels, width } = draw(t);
      const colours = new Map();
      let flying = 0;
      for (let o = 0, i = 0; o < grid.out; o++) {
        for (let b = 0; b < grid.blocksPerRow; b++, i++) {
          const p = progressOf(t, i / total);
          if (p === 0 || p === 1) continue;
          flying++;
          const x = (from.x0 + b * from.sx) * (1 - p) + (to.x0 + o * to.sx) * p;
          const y = (from.y0 + o * from.sy) * (1 - p) + (to.y0 + b * to.sy) * p;
          const snap = from.sx > 1 ? Math.round : Math.floor;
          colours.set(snap(y) * width + snap(x), PALETTE[values[i]]);
        }
      }
      assert.ok(flying > 0);
      // Later blocks lie over earlier ones, so only most of the places show their own.
      const right = [...colours].filter(([at, colour]) => pixels[at] === colour).length;
      assert.ok(right > 0.93 * colours.size, `${right} of ${colours.size} at ${t}`);
    }
  }
});

test('flight: a million blocks fly themselves; rows thinner than a pixel fly together', () => {
  for (const [grid, room, perO, perB] of [
    [{ out: 1024, blocksPerRow: 1024 }, 700, 1, 1],
    [{ out: 4096, blocksPerRow: 128 }, 600, 4, 1],
    [{ out: 64, blocksPerRow: 8192 }, 600, 1, 4],
    [{ out: 4096, blocksPerRow: 4096 }, 700, 4, 4],
    [{ out: 12, blocksPerRow: 3 }, 90, 1, 1],
  ]) {
    const levels = buildPyramid(new Uint8Array(grid.out * grid.blocksPerRow), grid);
    const rect = { x: 0, y: 0, width: room, height: room };
    const [from, to] = [
      frameOf(rect, extent(grid, 'o'), FIT),
      frameOf(rect, extent(grid, 'b'), FIT),
    ];
    const level = flyingLevel(levels, from, to, 'b');
    assert.deepEqual([level.perO, level.perB], [perO, perB], JSON.stringify(grid));
    // Seen from near, no more cells than a frame has time for.
    const near = { z: 8, line: 0, column: 0 };
    const close = [frameOf(rect, extent(grid, 'o'), near), frameOf(rect, extent(grid, 'b'), near)];
    assert.ok(flyingLevel(levels, ...close, 'b').values.length <= 1 << 20);
  }
});

test('flight: blocks leave in file order and all have landed at 1', () => {
  assert.equal(progressOf(0, 0), 0);
  assert.equal(progressOf(1, 1), 1);
  for (let t = 0; t <= 1; t += 0.1) {
    for (let share = 0.1; share <= 1; share += 0.1) {
      assert.ok(progressOf(t, share) <= progressOf(t, share - 0.1));
    }
  }
});

test('flight: steps land one block or one line after the other, and back, through the whole weight', () => {
  const [out, blocksPerRow] = [7, 5];
  const total = out * blocksPerRow;
  const landedAt = (t) =>
    Array.from({ length: total }, (_, i) => progressOf(t + 1e-9, i / total)).filter((p) => p === 1)
      .length;
  for (const size of [1, blocksPerRow]) {
    const times = [0];
    while (times.at(-1) < 1) times.push(steppedTime(times.at(-1), 1, size, total));
    assert.equal(times.length, total / size + 1);
    times.forEach((t, i) => {
      assert.equal(t, timeOf(i * size, total));
      // Just landed: the next block lands at that very time.
      if (i > 0) assert.equal(landedAt(t), Math.min(total, i * size + 1));
      if (i > 0) assert.equal(steppedTime(t, -1, size, total), times[i - 1]);
    });
  }
  assert.equal(steppedTime(timeOf(7, total), 1, blocksPerRow, total), timeOf(10, total));
  assert.equal(steppedTime(timeOf(7, total), -1, blocksPerRow, total), timeOf(5, total));
  assert.equal(steppedTime(0, -1, 1, total), 0);
  assert.equal(steppedTime(1, 1, 1, total), 1);
});
