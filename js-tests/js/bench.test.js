// The bench as a library: what a plan covers, where rows come from, and a clock as coarse as browsers'.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, PackedError } from 'packed-weights';
import {
  calibrate,
  documentOf,
  markdownOf,
  ops,
  plans,
  runBench,
  verdictOf,
} from 'packed-weights/bench';

const pw = await load();
const fast = (plan) => ({ ...plan, milliseconds: 0.01, settling: 0 });

async function all(steps) {
  const found = [];
  for await (const step of steps) found.push(step);
  return found;
}

test('bench: the quick plan measures every operation, and every encoding that has blocks', async () => {
  // As many rows as the real one, over weights of one row of blocks.
  const small = {
    ...fast(plans.quick),
    matmuls: plans.quick.matmuls.map((matmul) => ({ ...matmul, shape: [4, 256] })),
    passes: [[4, 256]],
    quantized: [1, 256],
    diagnosed: [4, 256],
  };
  const steps = await all(runBench(pw, small));
  const rows = steps.map(({ row }) => row);
  assert.deepEqual(new Set(rows.map(({ op }) => op)), new Set(ops));
  const blocked = Object.values(pw.encodings).filter((encoding) => encoding.blocked);
  const plain = ['F32', 'F16', 'BF16'];
  for (const op of ops) {
    const wanted = blocked.filter(({ quantizable }) => op !== 'quantize' || quantizable);
    const found = new Set(rows.filter((row) => row.op === op).map(({ encoding }) => encoding));
    const names = [...wanted.map(({ name }) => name), ...(op === 'diagnose' ? plain : [])];
    assert.deepEqual(found, new Set(names), op);
  }
  const products = rows.filter(({ op, encoding }) => op === 'gemv' && encoding === 'Q4_K');
  assert.deepEqual(
    products.map(({ order, activation }) => `${order} ${activation}`),
    ['INPUT_BLOCK_MAJOR int8', 'INPUT_BLOCK_MAJOR f32', 'ROW_MAJOR int8', 'ROW_MAJOR f32'],
  );
  assert.deepEqual(
    steps.map(({ done }) => done),
    steps.map((_, i) => i + 1),
  );
  assert.ok(steps.every(({ total }) => total === steps.length));
});

test('bench: shapes that an operation needs are asked for by name, those that none needs may be missing', async () => {
  const needs = { matmuls: ['gemv', 'gemm'], quantized: ['quantize'], diagnosed: ['diagnose'] };
  needs.passes = ops.filter((op) => !Object.values(needs).flat().includes(op));
  for (const [shapes, these] of Object.entries(needs)) {
    const { [shapes]: _, ...plan } = fast(plans.tiny);
    await assert.rejects(all(runBench(pw, plan)), {
      name: 'PackedError',
      code: 'INVALID_ARGUMENT',
      message: new RegExp(`^plan\\.${shapes} is undefined, and ${these[0]} needs it`),
    });
    const others = ops.filter((op) => !these.includes(op));
    const rows = (await all(runBench(pw, { ...plan, ops: others }))).map(({ row }) => row);
    assert.deepEqual(new Set(rows.map(({ op }) => op)), new Set(others));
  }
});

test('bench: an odd size leaves out the encodings whose blocks do not divide its rows', async () => {
  const { encodings: _, ...plan } = { ...fast(plans.tiny), matmuls: [], passes: [[3, 96]] };
  Object.assign(plan, { quantized: [3, 96], diagnosed: [3, 96] });
  const found = new Set((await all(runBench(pw, plan))).map(({ row }) => row.encoding));
  const blocked = Object.values(pw.encodings).filter((encoding) => encoding.blocked);
  for (const { name, elements } of blocked) assert.equal(found.has(name), elements === 32, name);
});

test('bench: a plan of which nothing fits, or nothing of what it names, is refused', async () => {
  const { encodings: _, ...every } = fast(plans.tiny);
  const sized = (out, inputDim) => ({
    matmuls: every.matmuls.map((matmul) => ({ ...matmul, shape: [out, inputDim] })),
    passes: [[out, inputDim]],
    quantized: [out, inputDim],
    diagnosed: [out, inputDim],
  });
  const [odd, thirds] = [sized(4, 100), sized(3, 96)];
  const nothing = { matmuls: [], passes: [] };
  for (const [what, plan, missing] of [
    ...ops.filter((op) => op !== 'diagnose').map((op) => [op, { ...odd, ops: [op] }, op]),
    ['an encoding that does not fit', { ...thirds, encodings: ['Q4_0', 'Q4_K'] }, 'Q4_K'],
    ['one that has no quantizer', { encodings: ['IQ2_XXS'], ops: ['quantize'] }, 'IQ2_XXS'],
    ['one of two operations', { ...nothing, ops: ['gemv', 'quantize'] }, 'gemv'],
    [
      'no columns of one',
      { ops: ['gemv'], matmuls: [{ ...every.matmuls[0], columns: [2] }] },
      'gemv',
    ],
    [
      'no activation',
      { ops: ['gemv'], matmuls: [{ ...every.matmuls[0], activations: [] }] },
      'gemv',
    ],
    ['no encoding', { encodings: [] }, 'the plan'],
    ['no operation', { ops: [] }, 'the plan'],
    ['no shape', { ...nothing, ops: ['decode', 'gemm'] }, 'decode'],
  ]) {
    await assert.rejects(all(runBench(pw, { ...every, ...plan })), (error) => {
      assert.ok(error instanceof PackedError, `${what}: ${error.stack}`);
      assert.equal(error.code, 'INVALID_ARGUMENT');
      const said = new RegExp(`^Nothing of ${missing} can be measured: .* whole blocks .* state`);
      assert.match(error.message, said, what);
      const fits = what === 'an encoding that does not fit';
      assert.match(error.message, fits ? /of 256 values \(here it is 96\)/ : /here it is \w/);
      return true;
    });
  }
});

test('bench: whoever asks for no more rows leaves no memory behind', async () => {
  const { core } = /** @type {any} */ (pw.constructor).contextOf(pw);
  const [allocate, free] = [core.heapAllocate, core.heapFree];
  const taken = new Set();
  core.heapAllocate = (size) => {
    const address = allocate(size);
    taken.add(address);
    return address;
  };
  core.heapFree = (address) => {
    taken.delete(address);
    free(address);
  };
  try {
    const plan = { ...fast(plans.tiny), ops: ['prepack', 'canonical', 'decode'], matmuls: [] };
    const run = runBench(pw, plan);
    await run.next();
    assert.ok(taken.size > 0);
    await run.return();
    assert.equal(taken.size, 0);
  } finally {
    Object.assign(core, { heapAllocate: allocate, heapFree: free });
  }
});

test('bench: goals of products are those stated, or so many quarters of them, for all alike', async () => {
  const plan = { ...fast(plans.tiny), encodings: ['Q4_0', 'Q4_K'], ops: ['gemv'] };
  const rows = (await all(runBench(pw, plan))).map(({ row }) => row);
  const stated = { simd128: { Q4_0: 0.36, Q4_K: 0.38 }, relaxed: { Q4_0: 0.33, Q4_K: 0.33 } };
  const int8 = rows.filter(({ activation }) => activation === 'int8');
  const quarters = int8.map(({ encoding, order, isa, goal }) => {
    const whole = stated[isa][encoding] * (order === 'ROW_MAJOR' ? 0.75 : 1);
    return Math.round((400 * goal) / whole) / 100;
  });
  assert.equal(quarters.length, 4);
  assert.equal(new Set(quarters).size, 1);
  assert.ok([1, 2, 3, 4].includes(quarters[0]), String(quarters));
});

test('bench: a verdict is close from four fifths of the goal on', () => {
  const verdict = (share, goal) => verdictOf({ share, goal });
  assert.equal(verdict(0.5, 0.5), 'reached');
  assert.equal(verdict(0.4, 0.5), 'close');
  assert.equal(verdict(0.39, 0.5), 'missed');
  assert.equal(verdict(0.39, null), null);
});

test('bench: document and Markdown hold every row', async () => {
  const rows = (await all(runBench(pw, fast(plans.tiny)))).map(({ row }) => row);
  const calibration = { dotCeiling: 100, streamRead: 40, copy: 20 };
  assert.deepEqual(documentOf(calibration, rows), {
    schemaVersion: 1,
    node: process.version,
    calibration,
    results: rows,
  });
  const lines = markdownOf(calibration, rows).split('\n');
  assert.equal(lines.filter((line) => /^\| \w+ \| Q4_[0K] \|/.test(line)).length, rows.length);
  const columns = lines
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').length);
  assert.equal(new Set(columns).size, 1);
});

test('bench: a clock of whole milliseconds gives finite speeds', async () => {
  const now = performance.now.bind(performance);
  performance.now = () => Math.floor(now());
  try {
    // A copy of its own: the step of the clock is found out once.
    const { runBench: run } = await import('../../dist/bench.js?coarse');
    const plan = { ...plans.tiny, ops: ['scan', 'decode'], encodings: ['Q4_K'] };
    for await (const { row } of run(pw, plan)) {
      assert.ok(row.gbps > 0 && row.gbps < 1000, `${row.op}: ${row.gbps}`);
    }
  } finally {
    performance.now = now;
  }
});

test('bench: a library without its tools cannot be calibrated, and gets them for a run', async () => {
  const wasm = { first: new URL(import.meta.resolve('packed-weights/simd128.wasm')) };
  const bare = await load({ isa: 'simd128', tools: false, wasm });
  assert.throws(() => calibrate(bare), { code: 'LOAD_FAILED', message: /pw\.loadTools\(\)/ });
  const steps = await all(runBench(bare, fast(plans.tiny)));
  assert.equal(steps.length, steps.at(-1).total);
  assert.ok(calibrate(bare, { milliseconds: 1 }).streamRead > 0);
});

test('bench: sizes that no memory holds, names that are no encodings and times without an end are refused', async () => {
  const tiny = fast(plans.tiny);
  const matmul = tiny.matmuls[0];
  for (const [part, value, code] of [
    ['encodings', ['Q4_0', 'nope'], 'UNKNOWN_ENCODING'],
    ['ops', ['gemv', 'gem'], 'INVALID_ARGUMENT'],
    ['passes', [[2 ** 20, 2 ** 20]], 'INVALID_ARGUMENT'],
    ['quantized', [1e9, 32], 'INVALID_ARGUMENT'],
    ['diagnosed', [0, 32], 'INVALID_ARGUMENT'],
    ['matmuls', [{ ...matmul, shape: [2 ** 33, 512] }], 'INVALID_ARGUMENT'],
    ['matmuls', [{ ...matmul, columns: [1, 2 ** 27] }], 'INVALID_ARGUMENT'],
    ['matmuls', [{ ...matmul, columns: [0] }], 'INVALID_ARGUMENT'],
    ['matmuls', [{ ...matmul, orders: ['kernel'] }], 'INVALID_ARGUMENT'],
    ['matmuls', [matmul, { ...matmul, activation: ['int8'] }], 'INVALID_ARGUMENT'],
    ['milliseconds', Infinity, 'INVALID_ARGUMENT'],
    ['settling', -1, 'INVALID_ARGUMENT'],
    ['opps', ['gemv'], 'INVALID_ARGUMENT'],
  ]) {
    await assert.rejects(all(runBench(pw, { ...tiny, [part]: value })), (error) => {
      assert.equal(error.code, code, `${part}: ${error.stack}`);
      assert.match(error.message, code === 'INVALID_ARGUMENT' ? new RegExp(`\\b${part}`) : /nope/);
      return true;
    });
  }
  await assert.rejects(all(runBench({ ...pw }, tiny)), { message: /^pw must be what load\(\) of/ });
});
