import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { load } from 'packed-weights';
import { commandIn } from '../support/command-line.js';
import { PseudoRandom } from '../support/pseudo-random.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-weights-'));
after(() => rmSync(folder, { recursive: true }));

const packedWeights = commandIn(folder);

function findingsOf(...words) {
  const { status, stdout, stderr } = packedWeights('check', ...words, '--json');
  assert.equal(stderr, '');
  const findings = JSON.parse(stdout).files.flatMap((file) => file.findings);
  return { status, findings: findings.filter(({ rule }) => rule.startsWith('reference')) };
}

const random = new PseudoRandom(9);
const metadata = { 'general.architecture': 'test', 'general.quantization_version': 2 };
const tensors = ['a', 'b', 'c', 'd'].map((name) => ({
  name,
  encoding: 'F32',
  shape: [16, 8],
  bytes: new Uint8Array(random.floats(128).buffer),
}));
const write = (name, held) =>
  writeFileSync(join(folder, name), pw.writeGguf({ metadata, tensors: held }));
write('reference.gguf', tensors);

test('check --against: of many tensors the wrong ones are named, each with its own mistake', () => {
  const changed = tensors.map((tensor) => ({ ...tensor, bytes: tensor.bytes.slice() }));
  changed[1].bytes.set(tensors[1].bytes.subarray(0, 32), 32);
  changed[1].bytes.set(tensors[1].bytes.subarray(32, 64), 0);
  new Float32Array(changed[3].bytes.buffer).forEach((value, i, all) => (all[i] = value + 1));
  write('changed.gguf', changed);
  const { status, findings } = findingsOf('changed.gguf', '--against', 'reference.gguf');
  assert.equal(status, 1);
  assert.deepEqual(
    findings.map(({ tensor, message }) => `${tensor} ${/\. ([a-z-]+): /.exec(message)[1]}`),
    ['b row-permutation', 'd constant-offset'],
  );
  for (const { message } of findings) assert.match(message, /values\. To mend it: /);
});

test('check --against: bytes that the reference has under another name are named by it', () => {
  const names = (/** @type {number[]} */ from) =>
    tensors.map((tensor, i) => ({ ...tensor, bytes: tensors[from[i]].bytes }));
  for (const from of [
    [0, 2, 1, 3],
    [1, 2, 3, 3],
    [0, 1, 2, 0],
  ]) {
    write('exchanged.gguf', names(from));
    const { status, findings } = findingsOf('exchanged.gguf', '--against', 'reference.gguf');
    assert.equal(status, 1);
    const wrong = from.flatMap((of, i) => (of === i ? [] : [[tensors[i].name, tensors[of].name]]));
    assert.deepEqual(
      findings.map(({ rule, tensor, message }) => [
        rule,
        tensor,
        /has as (\w+): two tensors were exchanged/.exec(message)?.[1],
      ]),
      wrong.map(([name, other]) => ['reference-exchanged', name, other]),
    );
  }
  // What was never written is nobody's, though the reference has such a tensor as well.
  const zeros = { ...tensors[0], name: 'z', bytes: new Uint8Array(512) };
  write('with-zeros.gguf', [...tensors, zeros]);
  write('unwritten.gguf', [
    { ...tensors[0], bytes: new Uint8Array(512) },
    ...tensors.slice(1),
    zeros,
  ]);
  const { findings } = findingsOf('unwritten.gguf', '--against', 'with-zeros.gguf');
  assert.deepEqual(
    findings.map(({ rule, tensor }) => [rule, tensor]),
    [['reference-values', 'a']],
  );
});

test('check --against: a tensor that is missing has no place in the file', () => {
  write('fewer.gguf', tensors.slice(1));
  const { findings } = findingsOf('fewer.gguf', '--against', 'reference.gguf');
  assert.equal(findings.length, 1);
  assert.equal(findings[0].rule, 'reference-missing');
  assert.equal(findings[0].offset, undefined);
});

test('check --against: what the reference lacks is said to have been compared with nothing', () => {
  write('more.gguf', [...tensors, { ...tensors[0], name: 'e' }, { ...tensors[0], name: 'f' }]);
  const { status, findings } = findingsOf('more.gguf', '--against', 'reference.gguf');
  assert.equal(status, 0);
  assert.equal(findings.length, 1);
  assert.equal(findings[0].severity, 'info');
  assert.match(
    findings[0].message,
    /^2 tensors are not in reference\.gguf and not compared, the first "e"$/,
  );
});

test('check --against: a reference that has none of the tensors proves nothing, and that is no success', () => {
  write('empty.gguf', []);
  write('others.gguf', [{ ...tensors[0], name: 'z' }]);
  write('one.gguf', [{ ...tensors[0], name: 'y' }]);
  for (const [file, reference, first] of [
    [
      'reference.gguf',
      'empty.gguf',
      /^4 tensors are not in empty\.gguf .* the first "a": nothing could/,
    ],
    [
      'reference.gguf',
      'others.gguf',
      /^4 tensors are not in others\.gguf .* the first "a": nothing could/,
    ],
    ['one.gguf', 'empty.gguf', /^1 tensor is not in empty\.gguf .* the first "y": nothing could/],
  ]) {
    const { status, findings } = findingsOf(file, '--against', reference);
    assert.equal(status, 1, `${file} ${reference}`);
    const lacks = findings.find(({ rule }) => rule === 'reference-lacks');
    assert.equal(lacks.severity, 'error');
    assert.match(lacks.message, first);
  }
  const words = ['reference.gguf', '--against', 'empty.gguf'];
  for (const more of ['--fail-on=warning', '--allow-empty', '--no-tensor-data'])
    assert.equal(findingsOf(...words, more).status, 1, more);
  for (const format of ['text', 'sarif', 'junit', 'tap', 'github']) {
    const { status, stdout } = packedWeights('check', ...words, '--format', format, '--quiet');
    assert.equal(status, 1, format);
    assert.match(stdout, /nothing could be compared/, format);
  }
  write('shared.gguf', [tensors[0]]);
  assert.equal(findingsOf('reference.gguf', '--against', 'shared.gguf').status, 0);
});

test('check --against: a report with a difference in it is not ok', () => {
  write('less.gguf', tensors.slice(1));
  for (const [file, ok] of [
    ['less.gguf', false],
    ['reference.gguf', true],
  ]) {
    const { stdout } = packedWeights('check', file, '--against', 'reference.gguf', '--json');
    assert.equal(JSON.parse(stdout).files[0].ok, ok);
  }
});

test('check --against, compare: a reference that is none is named, not the file that is compared', () => {
  writeFileSync(join(folder, 'text.gguf'), 'nothing of the kind');
  writeFileSync(join(folder, 'a.bin'), tensors[0].bytes);
  const compare = ['compare', 'a.bin', '--encoding', 'F32', '--tensor', 'a', '--reference'];
  for (const words of [
    ['check', 'reference.gguf', '--against', 'text.gguf'],
    [...compare, 'text.gguf'],
  ]) {
    const { status, stderr } = packedWeights(...words);
    assert.equal(status, 2);
    assert.match(stderr, /^NOT_GGUF: the reference text\.gguf: /);
  }
});

test('check --against: a tensor that cannot be read hides no other, and the file at fault is named', () => {
  const whole = readFileSync(join(folder, 'reference.gguf'));
  writeFileSync(join(folder, 'cut.gguf'), whole.subarray(0, -300));
  for (const [file, reference] of [
    ['reference.gguf', 'cut.gguf'],
    ['cut.gguf', 'reference.gguf'],
  ]) {
    const { status, findings } = findingsOf(file, '--against', reference);
    assert.equal(status, 1);
    assert.deepEqual([...new Set(findings.map(({ rule }) => rule))], ['reference-unreadable']);
    assert.equal(findings[0].tensor, 'd');
    assert.match(findings[0].message, /^d cannot be compared: cut\.gguf: /);
  }
});

test('check --against: in a split model a finding names the shard that holds the tensor', () => {
  const names = [];
  for (const { name, ...shard } of pw.splitGguf(
    { metadata, tensors },
    { prefix: 'part', maxBytes: 1024 },
  )) {
    names.push(name);
    writeFileSync(join(folder, name), pw.writeGguf(shard));
  }
  assert.equal(names.length, 2);
  const other = tensors.map((tensor, i) => ({
    ...tensor,
    bytes: i === 3 ? tensor.bytes.slice().fill(1) : tensor.bytes,
  }));
  write('other.gguf', other);
  const { findings } = findingsOf(...names, '--against', 'other.gguf');
  assert.deepEqual(
    findings.map(({ tensor, file }) => `${tensor} in ${file}`),
    [`d in ${names.at(-1)}`],
  );
});

test('compare: a file of bytes that cannot be read is named', () => {
  const words = ['--encoding', 'Q4_0', '--order', 'kernel', '--fixture'];
  for (const path of ['.', 'none.bin']) {
    const { status, stderr } = packedWeights('compare', path, ...words);
    assert.equal(status, 2);
    assert.ok(stderr.startsWith(`IO_FAILED: ${path} cannot be read: `), stderr);
  }
});
