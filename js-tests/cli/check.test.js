import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'packed-weights';
import { casePath, cases, verdictOf } from '../support/cases.js';
import { kernelOrder } from '../support/damage.js';

const pw = await load();
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const check = (...words) =>
  spawnSync(process.execPath, [main, 'check', ...words], { encoding: 'utf8' });

const folder = mkdtempSync(join(tmpdir(), 'packed-check-'));
after(() => rmSync(folder, { recursive: true }));

for (const profile of ['spec', 'llama']) {
  test(`check: the verdict on every case file is the expected one under ${profile}`, async () => {
    assert.ok(cases.length >= 61);
    for (const { file, path, what, ...expected } of cases) {
      const report = await pw.validate(readFileSync(path), { profile });
      assert.equal(verdictOf(report), expected[profile], `${file}: ${what}`);
      assert.equal(report.ok, expected[profile] !== 'error' && report.tensorsChecked > 0, file);
    }
  });
}

test('check: a file that cannot be read does not hide what the others have', () => {
  const [bad, good] = [casePath('data-f32-nan.gguf'), casePath('ok-min.gguf')];
  const [missing, gone] = [join(folder, 'missing.gguf'), join(folder, 'gone.gguf')];
  for (const [words, files] of [
    [
      [bad, missing, good],
      [bad, good],
    ],
    [[missing, good, gone], [good]],
    [[missing, gone], []],
  ]) {
    const { status, stdout, stderr } = check(...words, '--json');
    assert.equal(status, 2);
    const told = JSON.parse(stdout).files;
    assert.deepEqual(
      told.flatMap(({ files }) => files),
      words,
    );
    const checked = told.filter(({ error }) => error === undefined);
    assert.deepEqual(
      checked.flatMap(({ files }) => files),
      files,
    );
    const lines = stderr.trim().split('\n');
    assert.equal(lines.length, words.length - files.length, stderr);
    for (const line of lines) assert.match(line, /^IO_FAILED: .*(missing|gone)\.gguf cannot be/);
  }
});

test('check: a file that is given twice is checked twice, and is no set of shards', () => {
  const good = casePath('ok-min.gguf');
  const { status, stdout, stderr } = check(good, good, '--json');
  assert.equal(status, 0, stdout + stderr);
  assert.deepEqual(
    JSON.parse(stdout).files.flatMap(({ files }) => files),
    [good, good],
  );
});

test('check: exits 0 for good files, 1 for findings, 2 for wrong usage or no such file', () => {
  const good = casePath('ok-min.gguf');
  for (const [status, ...words] of [
    [0, good],
    [0, casePath('al-24.gguf')],
    [1, casePath('al-24.gguf'), '--profile', 'llama'],
    [1, casePath('data-f32-nan.gguf')],
    [0, casePath('data-f32-nan.gguf'), '--no-tensor-data'],
    [1, good, casePath('hdr-gzip.gguf')],
    [0, casePath('data-trailing-junk.gguf')],
    [1, casePath('data-trailing-junk.gguf'), '--fail-on', 'warning'],
    [1, casePath('ok-empty.gguf')],
    [0, casePath('ok-empty.gguf'), '--allow-empty'],
    [1, casePath('ok-empty.gguf'), '--allow-empty', '--fail-on', 'warning'],
    [2],
    [2, good, '--profile', 'ollama'],
    [2, good, '--format', 'yaml'],
    [0, good, '--json'],
    [2, good, '--json', '--format', 'tap'],
    [2, good, '--fail-on', 'info'],
    [2, good, '--colour'],
    [2, join(folder, 'missing.gguf')],
    [2, folder],
    [2, good, '--against', join(folder, 'missing.gguf')],
  ]) {
    const { status: found, stdout, stderr } = check(...words);
    assert.equal(found, status, `${words.join(' ')}\n${stdout}${stderr}`);
    if (status === 2) assert.notEqual(stderr, '', words.join(' '));
  }
});

test('check: text names the file, tensor, block and byte; one bad file does not hide the others', () => {
  const { stdout } = check(casePath('data-q4_0-inf-scale.gguf'), casePath('ok-min.gguf'));
  assert.match(
    stdout,
    /error: .*data-q4_0-inf-scale\.gguf: tensor w, block \(0,0\), byte \d+: .*infin/i,
  );
  assert.match(stdout, /ok-min\.gguf: ok, 0 errors/);
});

test('check: --quiet says nothing about good files, and of bad ones only the errors', () => {
  assert.equal(check(casePath('ok-min.gguf'), '--quiet').stdout, '');
  assert.equal(check(casePath('data-trailing-junk.gguf'), '--quiet').stdout, '');
  const { stdout } = check(casePath('al-3.gguf'), '--quiet');
  assert.match(stdout, /^error: /);
  assert.doesNotMatch(stdout, /^warning: /m);
});

test('check: no tensors is no success, and says so in every form', () => {
  for (const format of ['text', 'json', 'sarif', 'junit', 'tap', 'github']) {
    const { status, stdout } = check(casePath('ok-empty.gguf'), '--format', format);
    assert.equal(status, 1, format);
    assert.match(stdout, /nothing (was|has been) checked|no tensors/i, format);
  }
});

const { bytes, out, blocksPerRow } = pw.fixtures.decodable('Q4_0');
const inputDim = blocksPerRow * pw.encodings.Q4_0.elements;
const modelWith = (name, tensors) => {
  const path = join(folder, name);
  const metadata = { 'general.architecture': 'test', 'general.quantization_version': 2 };
  writeFileSync(path, pw.writeGguf({ metadata, tensors }));
  return path;
};
const weight = (name, held, shape = [out, inputDim]) => ({
  name,
  encoding: 'Q4_0',
  shape,
  bytes: held,
});
const norm = { name: 'norm', encoding: 'F32', ne: [8], bytes: new Uint8Array(32).fill(62) };
const reference = modelWith('reference.gguf', [weight('w', bytes), weight('v', bytes), norm]);

test('check: --against a reference that it equals finds nothing', () => {
  const { status, stdout } = check(reference, '--against', reference);
  assert.equal(status, 0, stdout);
});

test('check: --against names the first block in the wrong place and the mistake', () => {
  const { blockBytes = pw.encodings.Q4_0.bytes } = {};
  const relaid = kernelOrder({ out, blocksPerRow, blockBytes, bytes });
  const path = modelWith('relaid.gguf', [weight('w', bytes), weight('v', relaid), norm]);
  const { status, stdout } = check(path, '--against', reference, '--format', 'json');
  assert.equal(status, 1);
  const found = JSON.parse(stdout).files[0].findings.filter(({ severity }) => severity === 'error');
  assert.equal(found.length, 1, stdout);
  const { rule, tensor, o, b, message } = found[0];
  assert.deepEqual({ rule, tensor, o, b }, { rule: 'reference-order', tensor: 'v', o: 0, b: 1 });
  assert.match(message, /\(0,1\)/);
  assert.match(message, /INPUT_BLOCK_MAJOR/);
  assert.match(message, /other-order/);
});

test('check: --against names tensors that are missing, of another type, shape or value', () => {
  const changed = norm.bytes.slice();
  changed[8] = 0;
  const path = modelWith('other.gguf', [
    weight('w', bytes, [out * blocksPerRow, 32]),
    { ...norm, bytes: changed },
  ]);
  const { status, stdout } = check(path, '--against', reference, '--format', 'json');
  assert.equal(status, 1);
  const found = JSON.parse(stdout).files[0].findings.filter(({ rule }) => /^reference/.test(rule));
  assert.deepEqual(found.map(({ rule, tensor }) => `${rule} ${tensor}`).sort(), [
    'reference-missing v',
    'reference-shape w',
    'reference-values norm',
  ]);
});

test('reports llama.cpp #22565, #22611, #20200: check --against names what was done to plain values', () => {
  const floats = (count, value) =>
    new Uint8Array(Float32Array.from({ length: count }, value).buffer);
  const value = (_, i) => Math.sin(i);
  const turned = (out, inputDim) =>
    floats(out * inputDim, (_, i) => Math.sin((i % out) * inputDim + Math.floor(i / out)));
  const plain = (name, ne, bytes) => ({ name, encoding: 'F32', ne, bytes });
  const source = modelWith('plain.gguf', [
    plain('norm', [6], floats(6, value)),
    plain('q', [4, 8], floats(32, value)),
    plain('down', [4, 6], floats(24, value)),
    plain('label', [3, 5], floats(15, value)),
  ]);
  const path = modelWith('plain-other.gguf', [
    plain(
      'norm',
      [6],
      floats(6, (_, i) => Math.sin(i) + 1),
    ),
    plain(
      'q',
      [4, 8],
      floats(32, (_, i) => Math.sin(4 * (i >> 2 < 4 ? 2 * (i >> 2) : 2 * (i >> 2) - 7) + (i % 4))),
    ),
    plain('down', [6, 4], turned(6, 4)),
    plain('label', [5, 3], floats(15, value)),
  ]);
  const { status, stdout } = check(path, '--against', source, '--json');
  assert.equal(status, 1);
  const found = JSON.parse(stdout).files[0].findings.filter(({ rule }) => /^reference/.test(rule));
  const of = (tensor) => found.find((finding) => finding.tensor === tensor);
  assert.match(of('norm').message, /constant-offset: .*differs by a constant 1\.0/);
  assert.match(of('q').message, /row-permutation: .*half-split where interleaved is expected/);
  assert.match(of('down').message, /transposed relative to the reference, its values too/);
  assert.match(of('label').message, /transposed relative to the reference, in its label only/);
});
