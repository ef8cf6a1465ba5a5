// Good files say the same here as to another reader of the format, which shares no code with this one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gguf } from '@huggingface/gguf';
import { load } from 'packed-weights';
import { smallModel } from '../support/gguf-files.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-reference-'));
after(() => rmSync(folder, { recursive: true }));

const plain = (value) => {
  if (typeof value?.toArray === 'function') return value.toArray().map(plain);
  return Array.isArray(value)
    ? value.map(plain)
    : typeof value === 'bigint'
      ? Number(value)
      : value;
};

async function timed(run) {
  const start = performance.now();
  return { result: await run(), took: performance.now() - start };
}

async function requireSame(name, bytes) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const theirs = await timed(() => gguf(path, { allowLocalFile: true }));
  const ours = await timed(() => pw.openGguf(path));
  const { metadata, tensorInfos, tensorDataOffset } = theirs.result;
  const file = ours.result;
  assert.equal(file.dataStart, Number(tensorDataOffset));
  const { version, tensor_count, kv_count, ...keys } = metadata;
  assert.equal(file.version, version);
  assert.equal(file.metadata.size, Number(kv_count));
  for (const [key, value] of file.metadata) assert.deepEqual(plain(value), plain(keys[key]), key);
  assert.equal(file.tensors.length, Number(tensor_count));
  tensorInfos.forEach(({ name: tensor, shape, dtype, offset }, i) => {
    assert.equal(file.tensors[i].name, tensor);
    assert.deepEqual(file.tensors[i].ne, shape.map(Number));
    assert.equal(file.tensors[i].ggmlType, dtype);
    assert.equal(file.tensors[i].offset, file.dataStart + Number(offset));
  });
  await file.close();
  return { theirs: theirs.took, ours: ours.took };
}

test('reference reader: metadata, tensors and offsets of good files are the same', async () => {
  await requireSame('small.gguf', smallModel());
  const metadata = {
    'general.architecture': 'test',
    numbers: [1, -2, 3],
    half: 0.5,
    yes: true,
    big: 2n ** 40n,
    text: 'äöü',
  };
  await requireSame('kinds.gguf', pw.writeGguf({ metadata, alignment: 64 }));
});

test('reference reader: a vocabulary of 150,000 tokens reads the same, ten times as fast', async (t) => {
  const tokens = Array.from({ length: 150_000 }, (_, i) => `token ${i}`);
  const bytes = pw.writeGguf({ metadata: { 'general.architecture': 'test', tokens } });
  // The quickest run of each: other tests run beside this one, and a pause of theirs is nobody's speed.
  let [ours, theirs] = [Infinity, Infinity];
  for (let i = 0; i < 12 && !(i >= 3 && ours * 10 < theirs); ++i) {
    const run = await requireSame('vocabulary.gguf', bytes);
    ours = Math.min(ours, run.ours);
    theirs = Math.min(theirs, run.theirs);
  }
  t.diagnostic(`ours ${ours.toFixed(1)} ms, theirs ${theirs.toFixed(1)} ms`);
  assert.ok(ours * 10 < theirs, `ours ${ours} ms, theirs ${theirs} ms`);
});
