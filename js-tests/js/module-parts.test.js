// The modules come in parts that share a memory: what each weighs, and that parts of two builds never meet.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { load } from 'packed-weights';

const part = (name) => new URL(import.meta.resolve(`packed-weights/${name}.wasm`));
const variants = ['simd128', 'relaxed'];
const names = variants.flatMap((variant) => [variant, `${variant}.tools`, `${variant}.files`]);

for (const name of names) {
  test(`module parts: ${name}.wasm is under 120 KB gzipped`, async () => {
    const size = gzipSync(await readFile(part(name)), { level: 9 }).length;
    assert.ok(size < 120_000, `${size} bytes`);
  });
}

test('module parts: the main entry is under 15 KB gzipped, with all that it imports before load', async () => {
  const main = await readFile(new URL(import.meta.resolve('packed-weights')));
  assert.doesNotMatch(main.toString(), /\bfrom\s*["']\./);
  assert.ok(gzipSync(main, { level: 9 }).length < 15_000);
});

test('module parts: what opens no file never asks for the part that reads files', async () => {
  const pw = await load({
    wasm: { first: part('simd128'), files: new URL('file:///missing.wasm') },
  });
  assert.equal(
    pw.disagreement(pw.fixtures.kernelOrder('Q4_K'), 'Q4_K', { kernelOrder: true }),
    null,
  );
  assert.equal(pw.decode(pw.fixtures.decodable('Q4_K').bytes, 'Q4_K').length, 15 * 256);
  assert.ok(pw.rules.length > 0);
});

test('module parts: a missing part is named when it is needed, every time', async () => {
  const pw = await load({
    wasm: { first: part('simd128'), files: new URL('file:///missing.wasm') },
  });
  const gguf = pw.writeGguf({ metadata: {}, tensors: [] });
  for (let attempt = 0; attempt < 2; ++attempt) {
    await assert.rejects(pw.openGguf(gguf), { code: 'LOAD_FAILED', message: /missing\.wasm/ });
  }
});

test('module parts: those of two builds are refused before anything runs', async () => {
  for (const name of ['tools', 'files']) {
    const other = await readFile(part(`simd128.${name}`));
    other[other.length - 1] ^= 1;
    const opening = async () => {
      const pw = await load({ wasm: { first: part('simd128'), [name]: other } });
      await pw.openGguf(pw.writeGguf({ metadata: {}, tensors: [] }));
    };
    await assert.rejects(opening(), { code: 'LOAD_FAILED', message: /different builds/ });
  }
});

test('module parts: a script that is not there is named when it is needed', async () => {
  const dist = dirname(fileURLToPath(import.meta.resolve('packed-weights')));
  for (const name of ['tools.js', 'files.js']) {
    const copy = await mkdtemp(join(tmpdir(), 'parts-'));
    try {
      await cp(dist, copy, { recursive: true, filter: (path) => !/\/(web|types)$/.test(path) });
      await rm(join(copy, name));
      const { load: loadCopy } = await import(pathToFileURL(join(copy, 'index.js')).href);
      const opening = async () => {
        const pw = await loadCopy();
        await pw.openGguf(pw.writeGguf({ metadata: {}, tensors: [] }));
      };
      await assert.rejects(opening(), { code: 'LOAD_FAILED', message: new RegExp(name) });
    } finally {
      await rm(copy, { recursive: true });
    }
  }
});
