// The modules come in parts that share a memory: what each weighs, and that parts of two builds never meet.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { load } from 'packed-weights';
import { finiteWeight } from '../support/weights.js';

const part = (name) => new URL(import.meta.resolve(`packed-weights/${name}.wasm`));
const variants = ['simd128', 'relaxed'];
const later = ['columns', 'tools', 'files'];
const names = variants.flatMap((variant) => [
  variant,
  ...later.map((name) => `${variant}.${name}`),
]);

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

test('module parts: what load({ tools: false }) fetches is less than half of what load() fetches, by little', async () => {
  const folder = new URL('.', import.meta.resolve('packed-weights'));
  const sizeOf = async (...files) => {
    const all = await Promise.all(files.map((name) => readFile(new URL(name, folder))));
    return all.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0);
  };
  for (const variant of variants) {
    const first = await sizeOf('index.js', `${variant}.wasm`);
    const rest = await sizeOf('tools.js', `${variant}.tools.wasm`, `${variant}.columns.wasm`);
    const share = first / (first + rest);
    assert.ok(share > 0.4 && share < 0.5, `${variant}: ${first} of ${first + rest} bytes`);
  }
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

const withoutTools = (isa) =>
  load({ isa, tools: false, wasm: { first: part(isa === 'scalar' ? 'simd128' : isa) } });

test('module parts: without its tools the library packs, views, relays, decodes and multiplies every encoding', async () => {
  const whole = await load({ isa: 'simd128' });
  const best = (await load()).isa;
  for (const isa of new Set(['simd128', 'scalar', best])) {
    const pw = await withoutTools(isa);
    const blocked = Object.values(pw.encodings).filter((each) => each.blocked);
    assert.ok(blocked.length >= 25);
    for (const { name: encoding } of blocked) {
      const { out, inputDim, bytes, x } = whole.fixtures.decodable(encoding);
      const packed = pw.pack(bytes, { encoding, out, inputDim, order: 'ROW_MAJOR' });
      const expected = whole.decode(bytes, encoding);
      assert.deepEqual(pw.decode(bytes, encoding), expected, encoding);
      const own = whole.view(whole.pack(bytes, packed));
      for (const each of [packed, pw.toKernelOrder(packed)]) {
        const view = pw.view(each);
        assert.deepEqual(view.toFloats(), own.toFloats());
        for (const activation of ['f32', 'int8']) {
          const how = { activation };
          assert.deepEqual(pw.matmul(x, view, how), whole.matmul(x, own, how), encoding);
        }
        view.dispose();
      }
      own.dispose();
    }
    assert.throws(() => pw.requireOutIn(32, 33, 'Q4_0'), { code: 'LOOKS_TRANSPOSED' });
    assert.ok(pw.kernels.length > 0);
  }
});

test('module parts: a few columns are the same numbers before the part that shares their work comes', async () => {
  for (const isa of new Set(['simd128', (await load()).isa])) {
    const pw = await withoutTools(isa);
    const whole = await load({ isa });
    for (const encoding of ['Q4_0', 'Q8_0', 'Q4_K', 'Q6_K', 'TQ1_0', 'IQ4_XS', 'NVFP4']) {
      const weight = finiteWeight(whole, encoding, 7, 2);
      const products = (library) =>
        [1, 2, 3, 4, 5, 7].map((columns) => {
          const x = new Float32Array(columns * weight.inputDim).map((_, i) => Math.sin(i));
          return library.matmul(x, library.view(weight), { activation: 'int8' });
        });
      const early = products(pw);
      await pw.loadTools();
      assert.deepEqual(products(pw), early, `${isa} ${encoding}`);
      assert.deepEqual(products(whole), early, `${isa} ${encoding}`);
    }
    for (const library of [pw, whole]) assert.doesNotMatch(library.isaReason, /one by one/);
  }
});

/** A library whose part for a few columns came and was taken away again: what calls it traps. */
async function withoutColumns(isa) {
  const { instantiate } = WebAssembly;
  /** @type {[WebAssembly.Module, any][]} */
  const parts = [];
  WebAssembly.instantiate = (module, imports) => {
    if (imports.first) parts.push([module, imports.first]);
    return instantiate(module, imports);
  };
  try {
    const wasm = {
      first: part(isa),
      columns: await WebAssembly.compile(await readFile(part(`${isa}.columns`))),
    };
    const pw = await load({ isa, wasm });
    const [module, first] = parts.find(([module]) => module === wasm.columns);
    const tables = WebAssembly.Module.imports(module).filter(({ kind }) => kind === 'table');
    assert.equal(tables.length, 1, 'its functions are in a table of its own');
    const table = first[tables[0].name];
    assert.ok(table.length >= 20);
    for (let i = 0; i < table.length; ++i) table.set(i, null);
    return pw;
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

test('module parts: once it is there, two and three columns are multiplied by the part that shares their work', async () => {
  for (const isa of new Set(['simd128', (await load()).isa])) {
    const pw = await withoutColumns(isa);
    for (const encoding of 'Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K'.split(' ')) {
      const { bytes, out, inputDim } = pw.fixtures.decodable(encoding);
      const packed = pw.pack(bytes, { encoding, out, inputDim, order: 'ROW_MAJOR' });
      for (const ordered of [packed, pw.toKernelOrder(packed)]) {
        const weight = pw.view(ordered);
        const multiply = (columns) => () =>
          pw.matmul(new Float32Array(columns * inputDim), weight, { activation: 'int8' });
        // Fewer than a hundred in all: then the kernels are checked again, these too.
        for (const columns of [1, 16]) multiply(columns)();
        for (const columns of [2, 3]) {
          assert.throws(multiply(columns), WebAssembly.RuntimeError, `${isa} ${encoding}`);
        }
      }
    }
  }
});

test('module parts: what needs the tools says so until they are there', async () => {
  const pw = await withoutTools('simd128');
  const { bytes } = (await load()).fixtures.decodable('Q4_K');
  const view = pw.view(
    pw.pack(bytes, { encoding: 'Q4_K', out: 5, inputDim: 768, order: 'ROW_MAJOR' }),
  );
  const ternary = pw.view(
    pw.pack(new Uint8Array(66), { encoding: 'TQ2_0', out: 1, inputDim: 256, order: 'ROW_MAJOR' }),
  );
  const gguf = { metadata: {}, tensors: [] };
  const calls = {
    canonical: () => pw.fixtures.canonical('Q4_K'),
    kernelOrder: () => pw.fixtures.kernelOrder('Q4_K'),
    decodable: () => pw.fixtures.decodable('Q4_K'),
    blockBits: () => pw.blockBits('Q4_K'),
    fields: () => pw.encodings.Q4_K.fields,
    quantize: () => pw.quantize(new Float32Array(256), 'Q4_0', { inputDim: 256 }),
    disagreement: () => pw.disagreement(bytes, 'Q4_K', { out: 5, blocksPerRow: 3 }),
    diagnose: () => pw.diagnose(bytes, 'Q4_K', { out: 5, blocksPerRow: 3 }),
    explain: () => pw.explain(view),
    bitnetGemv: () => pw.bitnetGemv(new Float32Array(256), ternary),
    ternary: () => pw.ternary.encode(new Float32Array(256), 'TQ2_0'),
    rules: () => pw.rules,
    writeGguf: () => pw.writeGguf(gguf),
    streamGguf: () => pw.streamGguf(gguf),
    splitGguf: () => pw.splitGguf(gguf, { prefix: 'x', maxBytes: 1e6 }),
  };
  for (const [name, call] of Object.entries(calls)) {
    assert.throws(call, { code: 'LOAD_FAILED', message: /pw\.loadTools\(\)/ }, name);
  }
  await Promise.all([pw.loadTools(), pw.loadTools()]);
  for (const [name, call] of Object.entries(calls)) assert.ok(call() !== undefined, name);
  assert.deepEqual(pw.encodings, (await load({ isa: 'simd128' })).encodings);
});

test('module parts: opening a file brings the tools along, and so does a second load', async () => {
  const pw = await withoutTools('simd128');
  const gguf = (await load()).writeGguf({ metadata: { 'a.b': 'c' }, tensors: [] });
  const file = await pw.openGguf(gguf);
  assert.equal(file.metadata.get('a.b'), 'c');
  await file.close();
  assert.ok(pw.rules.length > 0);
  const dist = new URL(import.meta.resolve('packed-weights'));
  const copy = await import(`${dist}?fresh`);
  const early = await copy.load({ tools: false });
  assert.throws(() => early.rules, { code: 'LOAD_FAILED' });
  assert.equal(await copy.load(), early);
  assert.ok(early.rules.length > 0);
});

test('module parts: tools that cannot be fetched are named, and may be asked for again', async () => {
  const tools = new URL('file:///missing.wasm');
  const pw = await load({ tools: false, wasm: { first: part('simd128'), tools } });
  for (let attempt = 0; attempt < 2; ++attempt) {
    await assert.rejects(pw.loadTools(), { code: 'LOAD_FAILED', message: /missing\.wasm/ });
  }
  await assert.rejects(load({ wasm: { first: part('simd128'), tools } }), { code: 'LOAD_FAILED' });
});

/** Works with a copy of the package that lacks one of its files; `restore` puts it there. */
async function withoutFile(name, work) {
  const dist = dirname(fileURLToPath(import.meta.resolve('packed-weights')));
  const copy = await mkdtemp(join(tmpdir(), 'parts-'));
  try {
    await cp(dist, copy, { recursive: true, filter: (path) => !/\/(web|types)$/.test(path) });
    await rm(join(copy, name));
    const { load: loadCopy } = await import(pathToFileURL(join(copy, 'index.js')).href);
    await work(loadCopy, () => cp(join(dist, name), join(copy, name)));
  } finally {
    await rm(copy, { recursive: true });
  }
}

test('module parts: one that could not be fetched is fetched when it is asked for again', async () => {
  for (const tools of [true, false]) {
    for (const name of names
      .filter((each) => each.startsWith('simd128'))
      .map((each) => `${each}.wasm`)) {
      await withoutFile(name, async (loadCopy, restore) => {
        const opening = async () => {
          const pw = await loadCopy({ isa: 'simd128', tools });
          await pw.loadTools();
          await pw.openGguf(pw.writeGguf({ metadata: {}, tensors: [] }));
        };
        await assert.rejects(opening(), { code: 'LOAD_FAILED' });
        await restore();
        await opening();
      });
    }
  }
});

test('module parts: those of two builds are refused before anything runs', async () => {
  for (const name of later) {
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
  for (const name of ['tools.js', 'files.js']) {
    await withoutFile(name, async (loadCopy) => {
      const opening = async () => {
        const pw = await loadCopy();
        await pw.openGguf(pw.writeGguf({ metadata: {}, tensors: [] }));
      };
      await assert.rejects(opening(), { code: 'LOAD_FAILED', message: new RegExp(name) });
    });
  }
});
