import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'packed-weights';
import { smallModel } from '../support/gguf-files.js';
import { ggufFile } from '../support/gguf-writer.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-weights-prepack-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const prepack = (...words) =>
  spawnSync(process.execPath, [main, 'prepack', ...words], { encoding: 'utf8' });
writeFileSync(at('in.gguf'), smallModel());
const manifestOf = (name) => JSON.parse(readFileSync(join(at(name), 'manifest.json'), 'utf8'));

test('prepack: prints what it needs, then writes kernel order and a manifest that says so', async () => {
  const { status, stdout, stderr } = prepack(at('in.gguf'), '-o', at('out'));
  assert.equal(status, 0, stderr);
  assert.match(stdout, /needs \d+ bytes on disk and \d+ in memory; 3 of 4 tensors are relaid/);
  assert.match(stdout, /norm\.weight +F32 +\S/);
  const { schemaVersion, tensors } = manifestOf('out');
  assert.equal(schemaVersion, 1);
  const file = await pw.openGguf(at('in.gguf'));
  assert.deepEqual(
    tensors.map(({ name, order }) => [name, order]),
    file.tensors.map(({ name }) => [
      name,
      name === 'norm.weight' ? 'ROW_MAJOR' : 'INPUT_BLOCK_MAJOR',
    ]),
  );
  for (const { name, file: blob, order, encoding, shape, sha256, byteLength } of tensors) {
    const bytes = new Uint8Array(readFileSync(join(at('out'), blob)));
    assert.equal(bytes.length, byteLength);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
    const stored = await file.bytes(name);
    assert.deepEqual([...file.tensor(name).shape], shape);
    if (order === 'ROW_MAJOR') {
      assert.deepEqual(bytes, stored);
      continue;
    }
    // Grid by grid, back to what the file holds.
    const [out, inputDim] = shape.slice(-2);
    const grid = byteLength / (shape.length === 3 ? shape[0] : 1);
    for (let from = 0; from < byteLength; from += grid) {
      const part = bytes.subarray(from, from + grid);
      const packed = pw.pack(part, { encoding, out, inputDim, order });
      const back = pw.toCanonicalOrder(packed).bytes;
      assert.deepEqual(back, stored.subarray(from, from + grid), name);
    }
  }
  await file.close();
});

test('prepack: the same input gives the same files', () => {
  assert.equal(prepack(at('in.gguf'), '-o', at('again')).status, 0);
  const names = readdirSync(at('out'));
  assert.deepEqual(readdirSync(at('again')), names);
  for (const name of names)
    assert.deepEqual(readFileSync(join(at('again'), name)), readFileSync(join(at('out'), name)));
});

test('prepack: what is there is never overwritten, an empty folder is filled', () => {
  const before = readFileSync(join(at('out'), 'manifest.json'));
  const again = prepack(at('in.gguf'), '-o', at('out'));
  assert.equal(again.status, 2);
  assert.match(again.stderr, /WRITE_REFUSED: .*is there already/);
  assert.deepEqual(readFileSync(join(at('out'), 'manifest.json')), before);
  assert.match(prepack(at('in.gguf'), '-o', at('in.gguf')).stderr, /WRITE_REFUSED.*no folder/);
  assert.deepEqual(new Uint8Array(readFileSync(at('in.gguf'))), smallModel());
  mkdirSync(at('empty'));
  assert.equal(prepack(at('in.gguf'), '-o', at('empty')).status, 0);
});

test('prepack: names of tensors choose no place, and what fails leaves nothing behind', () => {
  const bytes = new Uint8Array(18 * 4);
  // By a writer that refuses no name.
  const tensors = ['../../up', '/root', 'a\nb', 'CON'].map((name) => ({
    name,
    ggmlType: 2,
    ne: [64, 2],
    bytes,
  }));
  writeFileSync(at('names.gguf'), ggufFile({}, tensors));
  const { status, stderr } = prepack(at('names.gguf'), '-o', at('names'));
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(at('names')).sort(), [
    '00000-.._.._up.bin',
    '00001-_root.bin',
    '00002-a_b.bin',
    '00003-CON.bin',
    'manifest.json',
  ]);
  const cut = smallModel().subarray(0, -200);
  writeFileSync(at('cut.gguf'), cut);
  const refused = prepack(at('cut.gguf'), '-o', at('cut'));
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /TRUNCATED/);
  assert.deepEqual(
    readdirSync(folder).filter((name) => /unfinished|^cut$/.test(name)),
    [],
  );
});

test('prepack: a file of nothing that can be relaid writes nothing and exits with 1, and says why', () => {
  const norm = { name: 'n', encoding: 'F32', ne: [4], bytes: new Uint8Array(16) };
  writeFileSync(at('plain.gguf'), pw.writeGguf({ tensors: [norm] }));
  writeFileSync(at('no-tensors.gguf'), pw.writeGguf({ tensors: [] }));
  for (const [name, count] of [
    ['plain', 1],
    ['no-tensors', 0],
  ]) {
    const { status, stdout } = prepack(at(`${name}.gguf`), '-o', at(name));
    assert.equal(status, 1);
    const says = `${at(name)}: nothing is written: 0 of ${count} tensors are relaid, so kernels read the input as it is\n`;
    assert.ok(stdout.startsWith(says), stdout);
    assert.doesNotMatch(stdout, /on disk/);
    assert.ok(!readdirSync(folder).includes(name));
  }
});

test('prepack: what a file does not hold to its end is refused before anything is written', () => {
  const norm = { name: 'n', encoding: 'F32', ne: [4], bytes: new Uint8Array(16) };
  const q = { name: 'q', encoding: 'Q4_0', ne: [32, 4], bytes: new Uint8Array(72) };
  for (const [name, tensors] of Object.entries({
    relaid: [norm, q],
    kept: [q, norm],
    plain: [norm],
  })) {
    const whole = pw.writeGguf({ tensors });
    writeFileSync(at('cut.gguf'), whole.subarray(0, whole.length - 32));
    const { status, stdout, stderr } = prepack(at('cut.gguf'), '-o', at(name));
    assert.equal(status, 2, stdout);
    assert.match(stderr, /^TRUNCATED: tensor "[nq]" needs the bytes/);
    assert.equal(stdout, '');
    assert.ok(!existsSync(at(name)));
  }
});

test('prepack, quantize: what is big-endian is refused before anything is written, as one file or as shards', () => {
  const tensors = (number) => [
    { name: `q${number}`, ne: [32, 2], ggmlType: 2, bytes: new Uint8Array(36) },
    { name: `n${number}`, ne: [4], ggmlType: 0, bytes: new Uint8Array(16) },
  ];
  const orders = { big: [true], plain: [true], bigs: [true, true], mixed: [false, true] };
  for (const [name, bigEndian] of Object.entries({ ...orders, mixed2: [true, false] })) {
    const files = bigEndian.map((big, number) => {
      const keys = { 'split.no': number, 'split.count': bigEndian.length };
      const all = tensors(number).slice(name === 'plain' ? 1 : 0);
      writeFileSync(at(`${name}${number}.gguf`), ggufFile(keys, all, big));
      return at(`${name}${number}.gguf`);
    });
    const where = bigEndian.indexOf(true);
    for (const words of [['prepack'], ['quantize', '--to', 'F16']]) {
      const all = [main, ...words, ...files, '-o', at('none')];
      const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' });
      assert.equal(status, 2, `${words[0]} ${name}: ${stdout}`);
      assert.match(
        stderr,
        new RegExp(`^(UNSUPPORTED_ENCODING|MALFORMED): .*${name}${where}.gguf is big-endian`),
      );
      assert.equal(stdout, '');
      assert.ok(!existsSync(at('none')));
    }
  }
});
