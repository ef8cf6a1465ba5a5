import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../bindings/cli/main.js', import.meta.url));
const bench = (...words) =>
  spawnSync(process.execPath, [main, 'bench', ...words], { encoding: 'utf8' });
const tiny = ['--quick', '--shape', '32x512', '--milliseconds', '1'];

test('bench: --json is one document: calibration, and a result per kernel with its share', () => {
  const { status, stdout, stderr } = bench('Q4_0', 'Q4_K', ...tiny, '--json');
  assert.equal(status, 0, stderr);
  const { schemaVersion, node, calibration, results } = JSON.parse(stdout);
  assert.equal(schemaVersion, 1);
  assert.equal(node, process.version);
  for (const name of ['dotCeiling', 'streamRead', 'copy']) assert.ok(calibration[name] > 0, name);
  const wide = results.filter(({ isa }) => isa === 'simd128');
  assert.deepEqual(
    wide.map(({ encoding, activation, n }) => `${encoding} ${activation} ${n}`),
    ['Q4_0', 'Q4_K'].flatMap((e) => [`${e} int8 1`, `${e} int8 32`, `${e} f32 1`, `${e} f32 32`]),
  );
  for (const row of results) {
    const { op, order, out, inputDim, n, gops, gbps, dotCeiling, share, goal } = row;
    assert.equal(op, n === 1 ? 'gemv' : 'gemm');
    assert.deepEqual([order, out, inputDim], ['INPUT_BLOCK_MAJOR', 32, 512]);
    assert.ok(gops > 0 && gbps > 0 && dotCeiling > 0 && goal > 0 && goal < 1);
    assert.equal(share, gops / dotCeiling);
  }
});

test('bench: without --json a line per kernel, with what it should be', () => {
  const { status, stdout, stderr } = bench('TQ2_0', ...tiny, '--isa', 'simd128');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^simd128: dotCeiling \d+ GOPS, streamRead [\d.]+ GB\/s, copy [\d.]+ GB\/s/);
  assert.match(stdout, /^TQ2_0 +kernel +int8 +32 x 512 +1 .* % +54 % +(reached|close|MISSED)$/m);
});

test('bench: what it cannot measure is a usage error', () => {
  for (const words of [['F32'], ['--shape', '12'], ['--shape', '0x32'], ['--milliseconds', 'x']]) {
    const { status, stderr } = bench(...words);
    assert.equal(status, 2, stderr);
  }
});
