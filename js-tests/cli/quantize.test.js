import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gguf } from '@huggingface/gguf';
import { load } from 'packed-weights';
import { casePath, cases } from '../support/cases.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-weights-quantize-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);
const main = fileURLToPath(new URL('../../bindings/cli/main.js', import.meta.url));
const quantize = (...words) =>
  spawnSync(process.execPath, [main, 'quantize', ...words], { encoding: 'utf8' });

const floats = (count) => Float32Array.from({ length: count }, (_, i) => Math.sin(i) / 3);
const bytesOf = (values) => new Uint8Array(values.buffer);
const weight = floats(5 * 512);
const metadata = {
  'general.architecture': 'test',
  'test.rope.freq_base': { type: 'f32', value: 10000 },
  'test.tags': ['a', 'b'],
};
const tensors = [
  { name: 'blk.0.attn.weight', encoding: 'F32', ne: [512, 5], bytes: bytesOf(weight) },
  { name: 'blk.0.ffn.weight', encoding: 'F32', ne: [256, 2, 5], bytes: bytesOf(weight) },
  { name: 'blk.0.norm.weight', encoding: 'F32', ne: [512], bytes: bytesOf(floats(512)) },
  { name: 'odd.weight', encoding: 'F32', ne: [100, 3], bytes: bytesOf(floats(300)) },
];
writeFileSync(at('in.gguf'), pw.writeGguf({ metadata, tensors }));

test('quantize: weights are converted; 1-D and non-divisible tensors kept and listed', async () => {
  const { status, stdout } = quantize(at('in.gguf'), '--to', 'Q4_K', '-o', at('out.gguf'));
  assert.equal(status, 0, stdout);
  assert.match(stdout, /2 of 4 tensors quantized/);
  assert.match(stdout, /blk\.0\.norm\.weight +F32 +1-D/);
  assert.match(stdout, /odd\.weight +F32 +row length 100 = 0\*256 \+ 100: no whole blocks of Q4_K/);
  const file = await pw.openGguf(at('out.gguf'));
  const { bytes } = pw.quantize(weight, 'Q4_K', { inputDim: 512 });
  assert.deepEqual(await file.bytes('blk.0.attn.weight'), bytes);
  assert.deepEqual(await file.bytes('odd.weight'), bytesOf(floats(300)));
  assert.deepEqual(
    file.tensors.map(({ name, encoding, ne }) => [name, encoding, [...ne]]),
    tensors.map(({ name, ne }, i) => [name, i < 2 ? 'Q4_K' : 'F32', ne]),
  );
  await file.close();
});

test('quantize: metadata is kept as it is stored, types included', async () => {
  const before = await pw.openGguf(at('in.gguf'));
  const written = await pw.openGguf(at('out.gguf'));
  for (const [key, stored] of before.storedMetadata()) {
    assert.deepEqual(written.storedMetadata().get(key), stored, key);
  }
  await before.close();
  await written.close();
});

test('quantize: the same input gives the same file', () => {
  quantize(at('in.gguf'), '--to', 'Q4_K', '-o', at('again.gguf'));
  assert.deepEqual(readFileSync(at('again.gguf')), readFileSync(at('out.gguf')));
});

test('quantize: --only selects by name', () => {
  const words = ['--to', 'Q8_0', '--only', 'blk.*.ffn.weight', '-o', at('only.gguf')];
  const { stdout } = quantize(at('in.gguf'), ...words);
  assert.match(stdout, /1 of 4 tensors quantized/);
  assert.match(stdout, /blk\.0\.attn\.weight +F32 +not selected by --only/);
});

test('quantize: where nothing was quantized it says so, and where --only selects nothing', () => {
  const word = /^Nothing was quantized: the output holds the tensors of the input\.$/m;
  const none = /^--only .* selects none of the .*$/m;
  for (const [input, status, only, quantized, selected] of [
    ['in.gguf', 1, ['--only', 'no*'], false, false],
    ['in.gguf', 1, ['--only', 'norm'], false, false],
    ['in.gguf', 1, ['--only', '*.norm.*'], false, true],
    ['in.gguf', 0, ['--only', 'blk*'], true, true],
    ['in.gguf', 0, [], true, true],
    ['out.gguf', 1, [], false, true],
  ]) {
    const words = ['--to', 'Q4_K', ...only, '-o', at('copy.gguf')];
    const { status: found, stdout } = quantize(at(input), ...words);
    assert.equal(found, status);
    assert.equal(!word.test(stdout), quantized, stdout);
    const hint = only[1] === 'norm' ? '; *norm* would select every name with that in it' : '';
    const line = `--only ${only[1]} selects none of the 4 tensors${hint}.`;
    assert.equal(none.exec(stdout)?.[0], selected ? undefined : line, stdout);
  }
});

test('quantize: an input is never overwritten, and nothing unfinished is left behind', () => {
  const before = readFileSync(at('in.gguf'));
  const { status, stderr } = quantize(at('in.gguf'), '--to', 'Q8_0', '-o', at('in.gguf'));
  assert.equal(status, 2);
  assert.match(stderr, /WRITE_REFUSED/);
  assert.deepEqual(readFileSync(at('in.gguf')), before);

  const bad = weight.slice();
  bad[700] = NaN;
  const tensor = { ...tensors[0], bytes: bytesOf(bad) };
  writeFileSync(at('nan.gguf'), pw.writeGguf({ tensors: [tensor] }));
  const refused = quantize(at('nan.gguf'), '--to', 'Q8_0', '-o', at('none.gguf'));
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /ELEMENT_NOT_FINITE: blk\.0\.attn\.weight: element 700 \(row 1/);
  const left = readdirSync(folder).filter((name) => /none|unfinished/.test(name));
  assert.deepEqual(left, []);
});

test('output: it is written beside itself, wherever its name leads; a name that leads nowhere is refused at once', () => {
  const run = (verb, output, cwd = folder) => {
    const words = [verb, at('k.gguf'), ...(verb === 'quantize' ? ['--to', 'Q8_0'] : [])];
    return spawnSync(process.execPath, [main, ...words, '-o', output], { cwd, encoding: 'utf8' });
  };
  const { bytes, out, inputDim } = pw.fixtures.decodable('Q4_K');
  const tensor = { name: 'w', encoding: 'Q4_K', shape: [out, inputDim], bytes };
  writeFileSync(at('k.gguf'), pw.writeGguf({ tensors: [tensor] }));
  mkdirSync(at('far/deep'), { recursive: true });
  symlinkSync(at('far/deep'), at('link'));
  mkdirSync(at('room'));
  for (const verb of ['quantize', 'prepack']) {
    const { status, stderr } = run(verb, `link/../${verb}.out`);
    assert.equal(status, 0, stderr);
    assert.ok(existsSync(at(`far/${verb}.out`)));
    for (const [output, cwd] of [
      ['none/../x', folder],
      ['none/x', folder],
      ['.', at('room')],
      ['..', at('room')],
      ['room/.', folder],
    ]) {
      const { status, stderr } = run(verb, output, cwd);
      assert.equal(status, 2, `${verb} -o ${output}`);
      assert.match(stderr, /^WRITE_REFUSED: .*choose (another|one)/, `${verb} -o ${output}`);
    }
  }
  const left = readdirSync(folder, { recursive: true });
  assert.deepEqual(
    left.filter((name) => /unfinished/.test(name)),
    [],
  );
  assert.deepEqual(readdirSync(at('room')), []);
});

test('quantize: a folder, a pipe or a folder that is missing is refused and stays as it was', () => {
  const [pipe, missing] = [at('pipe'), at('missing')];
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  for (const [output, message] of [
    [folder, /^WRITE_REFUSED: .* is no file and is not replaced by one/],
    [pipe, /^WRITE_REFUSED: .*pipe is no file/],
    [join(missing, 'out.gguf'), /^WRITE_REFUSED: .*out\.gguf cannot be written \(ENOENT\)/],
  ]) {
    const { status, stderr } = quantize(at('in.gguf'), '--to', 'Q8_0', '-o', output);
    assert.equal(status, 2);
    assert.match(stderr, message);
  }
  assert.ok(statSync(folder).isDirectory() && statSync(pipe).isFIFO() && !existsSync(missing));
});

test('quantize: wrong usage says what --to takes', () => {
  assert.match(quantize(at('in.gguf'), '--to', 'Q9', '-o', at('x')).stderr, /--to takes F32, F16/);
  assert.match(quantize(at('in.gguf'), '-o', at('x')).stderr, /State the encoding/);
  assert.match(quantize(at('in.gguf'), '--to', 'Q8_0').stderr, /State the file to write/);
});

test('quantize: general.file_type says what most weights are afterwards', async () => {
  const typed = { ...metadata, 'general.file_type': 0 };
  writeFileSync(at('typed.gguf'), pw.writeGguf({ metadata: typed, tensors }));
  const { stdout } = quantize(at('typed.gguf'), '--to', 'Q4_K', '-o', at('typed-q4.gguf'));
  assert.match(stdout, /general\.file_type was 0; most values are Q4_K: 14/);
  const file = await pw.openGguf(at('typed-q4.gguf'));
  assert.equal(file.metadata.get('general.file_type'), 14);
  await file.close();
  // llama.cpp has no number for a file of Q2_0.
  const other = quantize(at('typed.gguf'), '--to', 'Q2_0', '-o', at('typed-q2.gguf'));
  assert.match(other.stdout, /most values are Q2_0: left out/);
  const without = await pw.openGguf(at('typed-q2.gguf'));
  assert.ok(!without.metadata.has('general.file_type'));
  await without.close();
});

test('report llama.cpp #8264: no shard of the input is overwritten, by whatever name', async () => {
  const shards = pw.splitGguf({ metadata, tensors }, { prefix: at('m'), maxBytes: 10240 });
  assert.ok(shards.length > 1);
  for (const shard of shards) writeFileSync(shard.name, pw.writeGguf(shard));
  const names = shards.map(({ name }) => name);
  const before = names.map((name) => readFileSync(name));
  symlinkSync(names[1], at('link.gguf'));
  linkSync(names[1], at('hard.gguf'));
  const roundabout = join(folder, '.', 'nowhere', '..', basename(names[0]));
  for (const output of [...names, at('link.gguf'), at('hard.gguf'), roundabout]) {
    const { status, stderr } = quantize(...names, '--to', 'Q8_0', '-o', output);
    assert.equal(status, 2, output);
    assert.match(stderr, /WRITE_REFUSED: .* is the input/);
  }
  names.forEach((name, i) => assert.deepEqual(readFileSync(name), before[i]));
  const { status, stderr } = quantize(...names, '--to', 'Q8_0', '-o', at('joined.gguf'));
  assert.equal(status, 0, stderr);
  const joined = await pw.openGguf(at('joined.gguf'));
  assert.equal(joined.tensors.length, tensors.length);
  assert.ok(![...joined.metadata.keys()].some((key) => key.startsWith('split.')));
  await joined.close();
});

test('quantize: a tensor whose bytes are not there or are no rows of its type stops it before it writes', () => {
  const expected = {
    'off-wrap-2^64.gguf': /^MALFORMED: tensor "w": its offset 18446744073709551584 wraps/,
    'off-past-eof.gguf': /^TRUNCATED: tensor "w" needs the bytes 4224 to 4480/,
    'ti-ndims-5.gguf': /^MALFORMED: tensor "w" has 5 dimensions/,
    'ti-dims-overflow64.gguf': /^SIZE_OVERFLOW: tensor "w"/,
    'ti-ne0-not-block-total-ok.gguf':
      /^NOT_BLOCK_DIVISIBLE: tensor "w": row length 16 = 0\*32 \+ 16/,
    'ti-q4k-ne0-896.gguf': /^NOT_BLOCK_DIVISIBLE: tensor "w": row length 896 = 3\*256 \+ 128/,
    'ti-type-43.gguf': /^UNKNOWN_ENCODING: tensor "w": ggml type 43/,
    'ti-type-4-q4_2.gguf': /^UNKNOWN_ENCODING: tensor "w": ggml type 4 \(Q4_2/,
  };
  for (const [file, message] of Object.entries(expected)) {
    for (const to of ['F16', 'Q8_0']) {
      const { status, stderr } = quantize(casePath(file), '--to', to, '-o', at('refused.gguf'));
      assert.equal(status, 2, file);
      assert.match(stderr, message);
    }
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => /refused|unfinished/.test(name)),
    [],
  );
});

/** What another reader makes of a file: its metadata as text, and its tensors; null when it refuses it. */
async function readElsewhere(path) {
  try {
    const { metadata, tensorInfos } = await gguf(path, { allowLocalFile: true });
    const text = JSON.stringify(metadata, (_, value) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    return {
      metadata: JSON.parse(text),
      tensors: tensorInfos.map(({ name, shape, dtype }) => ({
        name,
        shape: shape.map(Number),
        dtype,
      })),
    };
  } catch {
    return null;
  }
}

test('quantize: what is written opens in another reader that opens the input, and says the same there', async () => {
  const inputs = cases.map(({ path }) => path).concat(at('in.gguf'));
  // Ours to state: how many there are, what most values are, how quantized blocks are laid out.
  const own = ['version', 'kv_count', 'general.file_type', 'general.quantization_version'];
  let opened = 0;
  for (const input of inputs) {
    const before = await readElsewhere(input);
    const { status } = quantize(input, '--to', 'Q8_0', '-o', at('elsewhere.gguf'));
    if (before === null || status === 2) continue;
    ++opened;
    const after = await readElsewhere(at('elsewhere.gguf'));
    assert.ok(after, input);
    for (const key of own) {
      delete before.metadata[key];
      delete after.metadata[key];
    }
    assert.deepEqual(after.metadata, before.metadata, input);
    assert.equal(after.tensors.length, before.tensors.length);
    const file = await pw.openGguf(at('elsewhere.gguf'));
    after.tensors.forEach(({ name, shape, dtype }, i) => {
      assert.deepEqual([name, shape], [before.tensors[i].name, before.tensors[i].shape], input);
      assert.equal(dtype, file.tensors[i].ggmlType);
    });
    await file.close();
  }
  assert.ok(opened > 15, `only ${opened} files were read by both`);
});
