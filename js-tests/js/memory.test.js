// What the module's memory does while a program runs: it is given back, and used again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wasmMemoryBytes } from '../support/wasm-memory.js';
import { load } from 'packed-weights';
import { PseudoRandom } from '../support/pseudo-random.js';
import { finiteWeight, sameBits } from '../support/weights.js';

const pw = await load();

test('memory: 100,000 create and dispose cycles leak nothing', () => {
  const scope = pw.scope();
  const packed = finiteWeight(pw, 'Q4_0', 4, 3);
  const view = pw.view(packed, { scope });
  const bytes = scope.bytes;
  const cycle = (i) => {
    view.narrow(0, i % 4, 1).dispose();
    if (i % 10 !== 0) return;
    const inner = pw.scope();
    view.prepack('INPUT_BLOCK_MAJOR', { scope: inner }).dispose();
    inner.close();
    pw.view(packed).dispose();
  };
  for (let i = 0; i < 1_000; ++i) cycle(i);
  const warm = wasmMemoryBytes();
  for (let i = 0; i < 100_000; ++i) cycle(i);
  assert.equal(scope.bytes, bytes);
  assert.equal(wasmMemoryBytes(), warm);
  scope.close();
});

test('memory: a thousand weights of a megabyte, one after another, take the room of one', () => {
  // Two gigabytes in all, with their relaid copies.
  const packed = finiteWeight(pw, 'Q8_0', 512, 64);
  const cycle = () => {
    const scope = pw.scope();
    const view = pw.view(packed, { scope });
    view.prepack('INPUT_BLOCK_MAJOR').dispose();
    view.dispose();
    scope.close();
  };
  cycle();
  const warm = wasmMemoryBytes();
  for (let i = 0; i < 1_000; ++i) cycle();
  assert.equal(wasmMemoryBytes(), warm);
});

test('memory: a model of other sizes takes the room of one that is closed, whoever still holds its views', () => {
  const held = [];
  const model = (weights, mebibytes) => {
    const scope = pw.scope();
    const empty = (out) =>
      held.push(pw.emptyView({ encoding: 'I8', shape: [out, 4096], order: 'ROW_MAJOR', scope }));
    for (let i = 0; i < weights; ++i) {
      empty(mebibytes << 8);
      empty(1 + (i % 5));
      const norm = held.at(-1);
      for (let slice = 0; slice < 20; ++slice) held.push(norm.narrow(1, slice, 1));
    }
    const { bytes } = scope;
    scope.close();
    return bytes;
  };
  const bytes = model(60, 8);
  const warm = wasmMemoryBytes();
  for (const [weights, mebibytes] of [
    [30, 16],
    [15, 32],
    [4, 116],
    [60, 8],
  ]) {
    model(weights, mebibytes);
    assert.ok(wasmMemoryBytes() - warm < bytes / 8, `${weights} of ${mebibytes} MiB`);
  }
  for (const view of held) view.dispose();
});

for (const activation of ['f32', 'int8']) {
  test(`memory: the second matmul of the same shapes allocates nothing (${activation})`, () => {
    const trace = pw.trace();
    const scope = pw.scope({ sink: trace });
    const packed = finiteWeight(pw, 'Q4_K', 64, 4);
    const columns = 16;
    const x = new PseudoRandom(3).floats(columns * packed.inputDim);
    const into = new Float32Array(columns * packed.out);
    const w = pw.view(packed, { scope });
    const fed = w.prepack('INPUT_BLOCK_MAJOR');
    const options = { activation, into, sink: trace, scope };
    const expected = pw.matmul(x, w, options).slice();
    pw.matmul(x, fed, options);
    const { bytes, bytesPeak } = scope;
    const warm = wasmMemoryBytes();
    trace.clear();
    // 64 KiB of operands a call: a leak of one of them would be 128 MiB.
    for (let i = 0; i < 1_000; ++i) {
      assert.equal(pw.matmul(x, w, options), into);
      pw.matmul(x, fed, options);
    }
    assert.ok(sameBits(into, expected));
    assert.equal(scope.bytes, bytes);
    assert.equal(scope.bytesPeak, bytesPeak);
    assert.equal(wasmMemoryBytes(), warm);
    const kinds = new Set(trace.events.map(({ kind }) => kind));
    assert.deepEqual([...kinds], ['KernelRun']);
    scope.close();
  });
}

test('memory: a session that finds a weight in its cache allocates nothing', () => {
  const scope = pw.scope();
  const packed = finiteWeight(pw, 'Q4_K', 64, 4);
  const w = pw.view(packed, { scope });
  const session = pw.session();
  const x = new PseudoRandom(3).floats(packed.inputDim);
  const into = new Float32Array(packed.out);
  session.matmulWeightTransposed(x, w, { into });
  const { bytes } = session.stats;
  const warm = wasmMemoryBytes();
  for (let i = 0; i < 10_000; ++i) session.matmulWeightTransposed(x, w, { into });
  assert.equal(session.stats.hits, 10_000);
  assert.equal(session.stats.bytes, bytes);
  assert.equal(scope.bytes, packed.bytes.length);
  assert.equal(wasmMemoryBytes(), warm);
  session.dispose();
  scope.close();
});

test("memory: what a session keeps of a model goes with the model's scope or view, the session being open", () => {
  const session = pw.session({ cacheBytes: 2 ** 30 });
  const inputDim = 4096;
  const x = new Float32Array(inputDim);
  const what = { encoding: 'Q8_0', shape: [4096, inputDim], order: 'ROW_MAJOR' };
  const use = (view) => {
    session.matmulWeightTransposed(x, view);
    assert.equal(session.stats.bytes, view.byteLength);
  };
  const bytes = new Uint8Array((what.shape[0] * inputDim * 34) / 32);
  const models = {
    closed: () => {
      const scope = pw.scope();
      use(pw.emptyView({ ...what, scope }));
      scope.close();
    },
    reset: () => {
      const scope = pw.scope();
      use(pw.emptyView({ ...what, scope }));
      scope.reset();
    },
    disposed: () => {
      const view = pw.view(bytes, what);
      use(view);
      view.dispose();
    },
  };
  let warm;
  // Three gigabytes in all, with their relaid copies.
  for (let i = 0; i < 30; ++i) {
    for (const [end, model] of Object.entries(models)) {
      model();
      assert.deepEqual([session.stats.entries, session.stats.bytes], [0, 0], end);
    }
    warm ??= wasmMemoryBytes();
    assert.equal(wasmMemoryBytes(), warm);
  }
  assert.equal(session.stats.evictions, session.stats.misses);
  session.dispose();
});

test('memory: a header that finds no room is refused, and read once there is some', async () => {
  const header = pw.writeGguf({
    metadata: { 'general.architecture': 'test', text: 'x'.repeat(9 << 20) },
    tensors: [{ name: 'w', encoding: 'F32', ne: [4], bytes: new Uint8Array(16) }],
  });
  const scope = pw.scope();
  const fill = (size) => {
    const shape = [size / 34, 32];
    for (;;) pw.emptyView({ encoding: 'Q8_0', shape, order: 'ROW_MAJOR', scope });
  };
  for (const size of [34 << 24, 34 << 18])
    assert.throws(() => fill(size), { code: 'OUT_OF_MEMORY' });
  await assert.rejects(pw.openGguf(header), { code: 'OUT_OF_MEMORY' });
  await assert.rejects(pw.validate(header), { code: 'OUT_OF_MEMORY' });
  scope.close();
  const file = await pw.openGguf(header);
  assert.equal(file.metadata.get('text').length, 9 << 20);
  assert.ok((await pw.validate(header)).ok);
});
