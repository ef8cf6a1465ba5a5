import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { load } from 'packed-weights';
import { commitOf } from '../../scripts/provenance.js';

const { build } = await load();

test("pw.build: the package's version, its commit, the compiler and the flags of both modules", () => {
  const path = new URL('../../package.json', import.meta.url);
  assert.equal(build.version, JSON.parse(readFileSync(path, 'utf8')).version);
  assert.match(build.compiler, /^Emscripten \d+\.\d+\.\d+, clang \d+/);
  assert.match(build.flags.simd128, /-O3 .*-ffp-contract=off .*-msimd128/);
  assert.doesNotMatch(build.flags.simd128, /relaxed/);
  assert.match(build.flags.relaxed, /-mrelaxed-simd .*-msimd128/);
});

test('pw.build: the commit is whole, or null where there was no git', () => {
  if (build.commit !== null) assert.match(build.commit, /^[0-9a-f]{40}(-dirty)?$/);
});

test('pw.build: a folder inside of a repository is no checkout of it', () => {
  assert.equal(commitOf(fileURLToPath(new URL('.', import.meta.url))), null);
});

test('pw.build: it names no folder of the machine that built it', () => {
  assert.doesNotMatch(JSON.stringify(build), /[/\\]/);
});

test('the version is one: of the npm package and of what find_package finds', () => {
  const cmake = readFileSync(new URL('../../CMakeLists.txt', import.meta.url), 'utf8');
  assert.equal(/project\(packed_weights VERSION ([\d.]+)/.exec(cmake)?.[1], build.version);
});

test('npm run fuzz: one name that is no target is a failure that names it, before anything is built', () => {
  const script = fileURLToPath(new URL('../../scripts/fuzz.js', import.meta.url));
  const options = { encoding: /** @type {const} */ ('utf8') };
  const { status, stderr } = spawnSync(
    process.execPath,
    [script, 'reader_fuzz', 'raeder_fuzz'],
    options,
  );
  assert.equal(status, 1);
  assert.match(stderr, /No target raeder_fuzz; there are .*reader_fuzz/);
});

test('what a console shows is called what the documentation calls it, minified or not', async () => {
  const pw = await load();
  const tensors = ['a', 'b'].map((name) => ({
    name,
    shape: [1, 32],
    encoding: 'Q4_0',
    bytes: new Uint8Array(18),
  }));
  const file = await pw.openGguf(pw.writeGguf({ metadata: { list: [1, 2] }, tensors }));
  const split = pw.splitGguf({ tensors }, { prefix: 'model', maxBytes: 18 });
  const shards = await pw.openGguf(split.map((shard) => pw.writeGguf(shard)));
  const { bytes: codes } = pw.ternary.encode(new Float32Array(32), 'BITNET_B1_58');
  const scope = pw.scope();
  const weight = { out: 1, inputDim: 32, order: 'ROW_MAJOR', scope };
  const ternary = pw.ternary.weight(codes, /** @type {any} */ (weight));
  const view = pw.view(new Uint8Array(18), {
    encoding: 'Q4_0',
    shape: [1, 32],
    order: 'ROW_MAJOR',
  });
  const packed = pw.pack(new Uint8Array(18), {
    encoding: 'Q4_0',
    out: 1,
    inputDim: 32,
    order: 'ROW_MAJOR',
  });
  const shown = {
    PackedWeights: pw,
    PackedBytes: packed,
    View: view,
    Scope: view.scope,
    Session: pw.session(),
    Trace: pw.trace(),
    GgufFile: file,
    GgufShards: shards,
    MetadataArray: file.metadata.get('list'),
    StoredValue: file.storedMetadata().get('list'),
    Ternary: pw.ternary,
    TernaryWeight: ternary,
  };
  for (const [name, value] of Object.entries(shown)) {
    assert.equal(value.constructor.name, name);
    assert.ok(inspect(value).startsWith(name), inspect(value));
  }
});

for (const entry of ['packed-weights', 'packed-weights/inline']) {
  test(`${entry}: an error that nobody catches comes with a line of its source, not with the whole file`, () => {
    const script = `import { load } from '${entry}'; (await load()).decode(new Uint8Array(18), 'Q4_4')`;
    const options = {
      encoding: /** @type {const} */ ('utf8'),
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
    };
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
    assert.match(stderr, /^PackedError: No encoding is called "Q4_4".*code: 'UNKNOWN_ENCODING'/ms);
    assert.ok(stderr.length < 10_000, `${stderr.length} characters`);
  });
}

test('packed-weights --version: the version alone on the first line, then commit and compiler', () => {
  const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const options = { encoding: /** @type {const} */ ('utf8') };
  const { status, stdout } = spawnSync(process.execPath, [cli, '--version'], options);
  assert.equal(status, 0);
  const [version, commit, compiler] = stdout.trim().split('\n');
  assert.equal(version, build.version);
  assert.equal(commit, `commit ${build.commit ?? 'unknown'}`);
  assert.equal(compiler, build.compiler);
});
