import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { load } from 'packed-weights';
import { commandIn } from '../support/command-line.js';
import { writeSparse, writeSparseModel } from '../support/gguf-files.js';
import { mistakes } from '../support/damage.js';
import { PseudoRandom } from '../support/pseudo-random.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-weights-'));
after(() => rmSync(folder, { recursive: true }));

const packedWeights = commandIn(folder);

test('fixtures: writes the bytes that compare accepts, in either order', () => {
  for (const order of ['kernel', 'canonical']) {
    const made = packedWeights('fixtures', 'Q4_K', '--order', order, '-o', `${order}.bin`);
    assert.equal(made.status, 0, made.stderr);
    const words = [`${order}.bin`, '--encoding', 'Q4_K', '--order', order, '--fixture'];
    const compared = packedWeights('compare', ...words);
    assert.equal(compared.status, 0, compared.stdout + compared.stderr);
    assert.match(compared.stdout, /agrees, all 12 blocks/);
  }
  assert.deepEqual(
    new Uint8Array(readFileSync(join(folder, 'kernel.bin'))),
    pw.fixtures.kernelOrder('Q4_K'),
  );
});

test('fixtures: decodable content comes with its values, inputs and products', () => {
  const made = packedWeights('fixtures', 'Q6_K', '--decodable', '-o', 'content.bin', '--json');
  assert.equal(made.status, 0, made.stderr);
  const document = JSON.parse(made.stdout);
  assert.equal(document.schemaVersion, 1);
  assert.deepEqual(
    document.files.map(({ byteLength }) => byteLength),
    [15 * 210, 15 * 256 * 4, 2 * 768 * 4, 2 * 5 * 4],
  );
  const words = ['--encoding', 'Q6_K', '--order', 'canonical', '--out', '5', '--in', '768'];
  assert.equal(packedWeights('compare', 'content.bin', ...words, '--fixture').status, 0);
});

test('compare: a wrong order ends with 1, the picture, the mistake and the mending call', () => {
  writeFileSync(join(folder, 'file-order.bin'), pw.fixtures.canonical('Q4_0'));
  const words = ['file-order.bin', '--encoding', 'Q4_0', '--order', 'kernel', '--fixture'];
  const { status, stdout } = packedWeights('compare', ...words);
  assert.equal(status, 1);
  assert.match(stdout, /first block in the wrong place: flat 1 belongs to block \(1,0\)/);
  assert.match(stdout, /belongs +stands there\n\(0,0\) \(0,1\)/);
  assert.match(stdout, /\nother-order: /);
  assert.match(stdout, /\nto mend it: pw\.toKernelOrder/);
});

test('compare: --json prints one document with the verdict', () => {
  const words = [
    'file-order.bin',
    '--encoding',
    'Q4_0',
    '--order',
    'kernel',
    '--fixture',
    '--json',
  ];
  const { status, stdout } = packedWeights('compare', ...words);
  const document = JSON.parse(stdout);
  assert.equal(status, 1);
  assert.equal(document.schemaVersion, 1);
  assert.equal(document.agrees, false);
  assert.equal(document.disagreement.misplaced, 10);
  assert.equal(document.diagnosis.kind, 'other-order');
});

test('compare: a tensor of a GGUF file is a reference, its shape need not be repeated', () => {
  const bytes = new PseudoRandom(5).bytes(5 * 3 * 34);
  const tensor = { name: 'w', encoding: 'Q8_0', shape: [5, 96], bytes };
  writeFileSync(join(folder, 'model.gguf'), pw.writeGguf({ tensors: [tensor] }));
  writeFileSync(join(folder, 'w.bin'), bytes);
  const against = ['--encoding', 'Q8_0', '--reference', 'model.gguf', '--tensor', 'w'];
  assert.equal(packedWeights('compare', 'w.bin', ...against, '--order', 'canonical').status, 0);
  const wrong = packedWeights('compare', 'w.bin', ...against, '--order', 'kernel');
  assert.equal(wrong.status, 1);
  assert.match(wrong.stdout, /12 of 15 misplaced/);
});

test('compare, check --against: say of every mistake what the library says', () => {
  const [out, blocksPerRow] = [12, 5];
  const values = new PseudoRandom(31).floats(out * blocksPerRow * 32);
  const reference = pw.quantize(values, 'Q4_0', { inputDim: blocksPerRow * 32 }).bytes;
  const shape = [out, blocksPerRow * 32];
  const gguf = (bytes) =>
    pw.writeGguf({ tensors: [{ name: 'w', encoding: 'Q4_0', shape, bytes }] });
  writeFileSync(join(folder, 'right.gguf'), gguf(reference));
  const w = { encoding: 'Q4_0', blockBytes: 18, elements: 32, out, blocksPerRow, bytes: reference };
  const kinds = new Set();
  for (const { kind, make } of mistakes) {
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    const bytes = make(w);
    writeFileSync(join(folder, 'wrong.bin'), bytes);
    const words = ['--encoding', 'Q4_0', '--reference', 'right.gguf', '--tensor', 'w', '--json'];
    const compared = packedWeights('compare', 'wrong.bin', ...words, '--order', 'kernel');
    const options = { out, blocksPerRow, reference };
    const said = JSON.parse(compared.stdout);
    assert.equal(compared.status, 1);
    assert.deepEqual(said.diagnosis, pw.diagnose(bytes, 'Q4_0', { ...options, kernelOrder: true }));
    assert.equal(said.diagnosis.kind, kind);
    if (bytes.length !== reference.length) continue;
    writeFileSync(join(folder, 'wrong.gguf'), gguf(bytes));
    const agrees = Buffer.compare(bytes, reference) === 0;
    const checked = packedWeights(...['check', 'wrong.gguf', '--against', 'right.gguf', '--json']);
    assert.equal(checked.status, agrees ? 0 : 1, checked.stdout);
    const { kind: own, message, fix } = pw.diagnose(bytes, 'Q4_0', options);
    if (agrees) continue;
    const text = `${own}: ${message}${fix ? `. To mend it: ${fix}` : ''}`;
    assert.ok(
      JSON.stringify(JSON.parse(checked.stdout)).includes(JSON.stringify(text).slice(1, -1)),
      text,
    );
  }
  assert.ok(kinds.size > 9);
});

test('compare: values without blocks need no order, and vectors no shape', () => {
  const v = Float32Array.of(0.02, -0.125, 0.7, 0.31);
  const tensors = [
    { name: 'norm', encoding: 'F32', ne: [4], bytes: new Uint8Array(v.buffer) },
    { name: 'experts', encoding: 'F32', ne: [2, 3, 2], bytes: new PseudoRandom(6).bytes(48) },
  ];
  writeFileSync(join(folder, 'norm.gguf'), pw.writeGguf({ tensors }));
  const against = ['--encoding', 'F32', '--reference', 'norm.gguf', '--tensor'];
  writeFileSync(join(folder, 'norm.bin'), v);
  assert.equal(packedWeights('compare', 'norm.bin', ...against, 'norm').status, 0);
  const plusOne = v.map((value) => value + 1);
  writeFileSync(join(folder, 'norm.bin'), plusOne);
  const wrong = packedWeights('compare', 'norm.bin', ...against, 'norm', '--json');
  assert.equal(wrong.status, 1);
  assert.equal(JSON.parse(wrong.stdout).diagnosis.variant, 'differs by a constant 1.0');
  writeFileSync(join(folder, 'experts.bin'), tensors[1].bytes);
  assert.equal(packedWeights('compare', 'experts.bin', ...against, 'experts').status, 0);
  const kernel = packedWeights('compare', 'norm.bin', ...against, 'norm', '--order', 'kernel');
  assert.equal(kernel.status, 2);
  assert.match(kernel.stderr, /NOT_BLOCKED/);
});

test('compare and fixtures: wrong usage ends with 2 and says what is missing', () => {
  const usage = [
    [['compare'], /one file/],
    [['compare', 'w.bin', '--order', 'kernel', '--fixture'], /--encoding is missing/],
    [['compare', 'w.bin', '--encoding', 'Q8_0', '--fixture'], /--order is kernel or canonical/],
    [['compare', 'w.bin', '--encoding', 'Q8_0', '--order', 'kernel'], /Compare with what/],
    [
      ['compare', 'w.bin', '--encoding', 'Q8_0', '--order', 'ROW_MAJOR'],
      /kernel or canonical \(INPUT_BLOCK_MAJOR or ROW_MAJOR\)/,
    ],
    [
      ['compare', 'w.bin', '--encoding', 'Q8_0', '--order', 'kernel', '--reference', 'w.gguf'],
      /^--tensor is missing: /,
    ],
    [
      ['compare', 'w.bin', '--encoding', 'Q8_0', '--order', 'kernel', '--tensor', 'w'],
      /^--reference is missing: /,
    ],
    [['compare', 'none.bin', '--encoding', 'Q8_0', '--order', 'kernel', '--fixture'], /none\.bin/],
    [
      ['compare', 'w.bin', '--encoding', 'Q9', '--order', 'kernel', '--fixture'],
      /UNKNOWN_ENCODING/,
    ],
    [
      [
        'compare',
        'w.bin',
        '--encoding',
        'Q8_0',
        '--order',
        'kernel',
        '--fixture',
        '--out',
        '96',
        '--in',
        '5',
      ],
      /LOOKS_TRANSPOSED/,
    ],
    [['fixtures', 'Q4_0'], /-o FILE is missing/],
    [['fixtures', 'F32', '-o', 'f32.bin'], /UNSUPPORTED_ENCODING/],
  ];
  for (const [words, complaint] of usage) {
    const { status, stderr } = packedWeights(...words);
    assert.equal(status, 2, words.join(' '));
    assert.match(stderr, complaint);
  }
  assert.ok(!existsSync(join(folder, 'f32.bin')));
});

test('compare: what does not fit its memory is refused before it is read, whichever side it is', async () => {
  const large = { name: 'w', encoding: 'Q4_0', ne: [65536, 65536] };
  const { size } = await writeSparseModel(join(folder, 'large.gguf'), [large]);
  await writeSparse(join(folder, 'large.bin'), 2 ** 41);
  await writeSparse(join(folder, 'more.bin'), 2 ** 31);
  const of = ['--encoding', 'Q4_0', '--order', 'kernel'];
  const reference = ['--reference', 'large.gguf', '--tensor', 'w'];
  assert.ok(size > 2 ** 31);
  writeFileSync(join(folder, 'small.bin'), new Uint8Array(18 * 2048));
  for (const [words, count] of [
    [['large.bin', ...of, ...reference], 2 ** 41],
    [['large.bin', ...of, '--fixture'], 2 ** 41],
    [['more.bin', ...of, ...reference], 2 ** 31],
  ]) {
    const { status, stderr } = packedWeights('compare', ...words);
    assert.equal(status, 2, stderr);
    assert.ok(stderr.startsWith(`SIZE_OVERFLOW: ${words[0]} has ${count} bytes,`), stderr);
  }
  const huge = { ...large, ne: [65536, 131072] };
  await writeSparseModel(join(folder, 'large.gguf'), [huge]);
  const { status, stderr } = packedWeights('compare', 'small.bin', ...of, ...reference);
  assert.equal(status, 2);
  assert.match(stderr, /^SIZE_OVERFLOW: w has 4831838208 bytes,/);
});
