// The relaxed kernels are checked again once the engine may have compiled them anew.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, PackedWeights } from 'packed-weights';
import { Context } from '../../bindings/js/context.js';

const hasRelaxed = Number(process.versions.node.split('.')[0]) >= 22;

/** A module whose kernels are right until `wrongFrom`, counted in checks. */
function moduleThat(wrongFrom = Infinity) {
  const seen = { checks: 0, limits: [] };
  const core = {
    selfCheck: () => (++seen.checks >= wrongFrom ? 'some_kernel' : ''),
    limitKernels: (isa) => seen.limits.push(isa),
  };
  return { seen, check: (isa) => new Context(core, isa, 'it was asked for') };
}

function times(count, run) {
  for (let i = 0; i < count; ++i) run();
}

test('repeated check: before multiplication 100, 1000 and so on, and said so', () => {
  const { seen, check } = moduleThat();
  const relaxed = check('relaxed');
  times(99, () => relaxed.recheck());
  assert.deepEqual([seen.checks, relaxed.isaReason], [0, 'it was asked for']);
  times(900, () => relaxed.recheck());
  assert.deepEqual(seen.checks, 1);
  assert.equal(relaxed.isaReason, 'it was asked for; checked before multiplication 100');
  times(1, () => relaxed.recheck());
  assert.deepEqual(seen, { checks: 2, limits: [] });
  assert.equal(relaxed.isa, 'relaxed');
});

test('repeated check: kernels that fail it are not used any longer, visibly', () => {
  const { seen, check } = moduleThat(2);
  const relaxed = check('relaxed');
  times(999, () => relaxed.recheck());
  assert.deepEqual(seen, { checks: 1, limits: [] });
  times(20_000, () => relaxed.recheck());
  assert.deepEqual(seen, { checks: 2, limits: ['simd128'] });
  assert.equal(relaxed.isa, 'simd128');
  assert.match(
    relaxed.isaReason,
    /failed their self-check here: some_kernel, before multiplication 1000/,
  );
});

test('repeated check: without memory nothing is concluded, and the next multiplication tries again', () => {
  const answers = ['no memory', 'no memory', ''];
  const limits = [];
  const core = { selfCheck: () => answers.shift(), limitKernels: (isa) => limits.push(isa) };
  const relaxed = new Context(core, 'relaxed', 'it was asked for');
  times(101, () => relaxed.recheck());
  assert.deepEqual([relaxed.isa, relaxed.isaReason, limits], ['relaxed', 'it was asked for', []]);
  times(1, () => relaxed.recheck());
  assert.equal(relaxed.isaReason, 'it was asked for; checked before multiplication 100');
});

test('repeated check: other kernels are left alone', () => {
  const { seen, check } = moduleThat(1);
  for (const isa of ['scalar', 'simd128']) {
    const other = check(isa);
    times(200, () => other.recheck());
    assert.deepEqual([seen.checks, other.isa, other.isaReason], [0, isa, 'it was asked for']);
  }
});

if (hasRelaxed) {
  test('repeated check: a session goes on with the right numbers when its kernels fail', async () => {
    const wasm = new URL(import.meta.resolve('packed-weights/relaxed.wasm'));
    const pw = await load({ isa: 'relaxed', wasm });
    const { bytes, out, inputDim, order, x } = pw.fixtures.decodable('Q4_0');
    const view = pw.view(bytes, { encoding: 'Q4_0', shape: [out, inputDim], order });
    const session = pw.session();
    const multiply = () => session.matmulWeightTransposed(x, view, { activation: 'int8' });
    const before = multiply();
    times(98, multiply);
    assert.ok(pw.kernels.some((name) => name.endsWith('_relaxed')));
    PackedWeights.contextOf(pw).core.selfCheck = () => 'matmul_int8_q4_0_input_major_relaxed';
    assert.deepEqual(multiply(), before);
    assert.equal(pw.isa, 'simd128');
    assert.match(pw.isaReason, /matmul_int8_q4_0_input_major_relaxed/);
    assert.ok(!pw.kernels.some((name) => name.endsWith('_relaxed')));
  });
}

test('repeated check: columns are not shared where that is wrong, and said so', async () => {
  for (const [answer, reason] of [
    ['', 'it was asked for'],
    ['some_kernel', 'it was asked for; columns one by one, because of some_kernel'],
  ]) {
    const core = { loadTools: async () => {}, takeColumns: () => answer };
    const relaxed = new Context(core, 'relaxed', 'it was asked for');
    await relaxed.loadTools();
    assert.equal(relaxed.isaReason, reason);
  }
});
