import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'packed-weights';
import { ggufHeader } from '../support/gguf-writer.js';

const pw = await load();
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const run = (...words) =>
  spawnSync(process.execPath, [main, ...words], { encoding: 'utf8', maxBuffer: 2 ** 27 });

const folder = mkdtempSync(join(tmpdir(), 'packed-inspect-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'small.gguf');
const { bytes, out, inputDim } = pw.fixtures.decodable('Q4_0');
writeFileSync(
  path,
  pw.writeGguf({
    metadata: { 'general.architecture': 'test', tokens: ['a', 'b', 'c', 'd', 'e'] },
    tensors: [{ name: 'w', encoding: 'Q4_0', shape: [out, inputDim], bytes }],
  }),
);

test('inspect: shows both labels of a shape, and what stands in the metadata', () => {
  const { status, stdout } = run('inspect', path);
  assert.equal(status, 0);
  assert.match(stdout, /GGUF v3, little-endian/);
  assert.match(stdout, /ne \[in 96, out 5\]\s+\[out 5, in 96\]/);
  assert.match(stdout, /general\.architecture = "test"/);
  assert.match(stdout, /tokens = 5 x string \["a", "b", "c", "d", \.\.\]/);
});

test('inspect: --json prints one document with its schema version', () => {
  const { status, stdout } = run('inspect', path, '--json');
  assert.equal(status, 0);
  const document = JSON.parse(stdout);
  assert.equal(document.schemaVersion, 1);
  assert.deepEqual(document.metadata.tokens, ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(document.tensors[0].ne, [96, 5]);
  assert.deepEqual(document.tensors[0].shape, [5, 96]);
  assert.equal(document.tensors[0].byteLength, 270);
});

test('inspect: --json says as text what JSON has no number for, alone and in arrays', () => {
  const odd = join(folder, 'odd.gguf');
  const numbers = { u64: 2n ** 60n, i64: -(2n ** 60n), f32: -Infinity, f64: NaN };
  const metadata = {};
  for (const [type, value] of Object.entries(numbers)) {
    metadata[`one.${type}`] = { type, value };
    metadata[`many.${type}`] = { type, value: [value, value] };
  }
  writeFileSync(odd, pw.writeGguf({ metadata, tensors: [] }));
  const { metadata: told } = JSON.parse(run('inspect', odd, '--json').stdout);
  for (const [type, value] of Object.entries(numbers)) {
    assert.equal(told[`one.${type}`], String(value));
    assert.deepEqual(told[`many.${type}`], [String(value), String(value)]);
  }
});

test('inspect, check: as many tensors as a file may have are listed, and held against as many others', () => {
  const most = 131072;
  const [many, others] = ['t', 'u'].map((letter) => {
    const heads = Array.from({ length: most }, (_, i) => ({
      name: `${letter}${i}`,
      ne: [1],
      ggmlType: 24,
      byteLength: 1,
    }));
    const written = join(folder, `${letter}.gguf`);
    const header = ggufHeader({ 'general.architecture': 'test' }, heads);
    writeFileSync(written, header);
    truncateSync(written, header.length + 32 * most);
    return written;
  });
  const listed = run('inspect', many);
  assert.equal(listed.stderr, '');
  assert.equal(listed.status, 0);
  assert.match(listed.stdout, /\nt131071 +I8 /);
  const held = run('check', many, '--no-tensor-data', '--against', others);
  assert.equal(held.stderr, '');
  assert.equal(held.status, 1);
  assert.match(held.stdout, /u131071 is in .*u\.gguf, but not here/);
});

test('inspect: wrong usage and files that cannot be read exit with 2 and say why', () => {
  const bad = join(folder, 'bad.gguf');
  writeFileSync(bad, '<!doctype html><html>not found</html>');
  for (const [words, text] of [
    [[], /one file/],
    [[path, path], /one file/],
    [[path, '--colour'], /colour/],
    [[join(folder, 'missing.gguf')], /IO_FAILED.*missing\.gguf/],
    [[folder], /IO_FAILED/],
    [[bad], /NOT_GGUF.*HTML/s],
  ]) {
    const { status, stdout, stderr } = run('inspect', ...words);
    assert.equal(status, 2, words.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, text);
  }
  assert.equal(run('inspekt').status, 2);
  assert.equal(run().status, 2);
  assert.equal(run('--help').status, 0);
});
