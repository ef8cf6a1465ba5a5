import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../bindings/cli/main.js', import.meta.url));
const bench = (...words) =>
  spawnSync(process.execPath, [main, 'bench', ...words], { encoding: 'utf8' });
const tiny = ['--quick', '--shape', '32x512', '--milliseconds', '1'];

test('bench: --json is one document: calibration, and a result per operation with its share', () => {
  const { status, stdout, stderr } = bench('Q4_0', 'Q4_K', ...tiny, '--json');
  assert.equal(status, 0, stderr);
  const { schemaVersion, node, calibration, results } = JSON.parse(stdout);
  assert.equal(schemaVersion, 1);
  assert.equal(node, process.version);
  for (const name of ['dotCeiling', 'streamRead', 'copy']) assert.ok(calibration[name] > 0, name);
  assert.equal(new Set(results.map(({ isa }) => isa)).size, 1, 'quick: the best that runs');
  for (const row of results) {
    const { op, activation, out, inputDim, n, gops, gbps, ceiling, share, goal } = row;
    assert.equal(op === 'gemv' || op === 'gemm', activation !== null, op);
    assert.equal(n === null, gops === null, op);
    assert.deepEqual([out, inputDim], [32, 512]);
    assert.ok(gbps > 0 && ceiling > 0, op);
    assert.equal(share, (gops ?? gbps) / ceiling);
    assert.ok(goal === null || (goal > 0 && goal <= 1), op);
  }
});

test('bench: without --json a line per row, with what it should be, and a count of the verdicts', () => {
  const { status, stdout, stderr } = bench('TQ2_0', ...tiny, '--isa', 'simd128', '--op', 'gemv');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^simd128: dotCeiling \d+ GOPS, streamRead [\d.]+ GB\/s, copy [\d.]+ GB\/s/);
  const row =
    /^gemv +TQ2_0 +int8, kernel order, n = 1 +32 x 512 .* % dotCeiling +(?:13|14|27|40|41|54) % +\w+$/m;
  assert.match(stdout, row);
  assert.match(stdout, /^\d+ goals reached, \d+ by less than a fifth not, \d+ missed; 0 rows/m);
});

test('bench: --op keeps to one operation', () => {
  const { status, stdout, stderr } = bench('Q8_0', ...tiny, '--op', 'disagreement', '--json');
  assert.equal(status, 0, stderr);
  assert.deepEqual(
    JSON.parse(stdout).results.map(({ op, order, of }) => [op, order, of]),
    [
      ['disagreement', 'ROW_MAJOR', 'streamRead'],
      ['disagreement', 'INPUT_BLOCK_MAJOR', 'streamRead'],
    ],
  );
});

test('bench: plain values are diagnosed by name, and nothing else of them is measured', () => {
  for (const name of ['F32', 'F16', 'I8', 'F64']) {
    const { status, stdout, stderr } = bench(name, ...tiny, '--op', 'diagnose', '--json');
    assert.equal(status, 0, stderr);
    assert.deepEqual(
      JSON.parse(stdout).results.map(({ op, encoding }) => [op, encoding]),
      [['diagnose', name]],
    );
  }
});

test('bench: what it cannot measure is a usage error', () => {
  const wrong = [
    ['F32'],
    ['--shape', '12'],
    ['--shape', '0x32'],
    ['--milliseconds', 'x'],
    ['--op', 'dance'],
    ['--op', 'gemv', '--shape', '32x100'],
    ['--op', 'gemv', '--op', 'gemm'],
    ['Q4_0', 'Q4_K', '--shape', '32x96'],
    ['IQ2_XXS', '--op', 'quantize'],
  ];
  for (const words of wrong) {
    const { status, stdout, stderr } = bench(...words, '--quick');
    assert.equal(status, 2, `${words.join(' ')}: ${stdout}`);
    assert.equal(stdout, '');
    assert.match(stderr, /^(?!Error).*\w/);
  }
});
