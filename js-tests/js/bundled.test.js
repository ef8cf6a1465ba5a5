// The package inside of what a bundler makes for who knows no modules: it has no place of its own there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { load } from 'packed-weights';

const folder = mkdtempSync(join(tmpdir(), 'packed-bundled-'));
after(() => rmSync(folder, { recursive: true }));
const dist = new URL('../../dist/', import.meta.url);

/** What is logged by a program that has been bundled as `format`. */
async function logged(format, script) {
  const contents = `
    import { load } from './index.js';
    const part = (name) => new URL(name, ${JSON.stringify(dist.href)});
    const said = (pw) => console.log(pw.isa, pw.decode(new Uint8Array(18), 'Q4_0').length);
    const refused = ({ name, code, message }) => console.log(name, code, message);
    (async () => { ${script} })();`;
  const outfile = join(folder, `${format}.cjs`);
  await build({
    stdin: { contents, resolveDir: fileURLToPath(dist) },
    outfile,
    format,
    bundle: true,
    platform: format === 'cjs' ? 'node' : 'neutral',
    logLevel: 'silent',
  });
  const { status, stdout, stderr } = spawnSync(process.execPath, [outfile], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

for (const format of ['cjs', 'iife']) {
  test(`bundled as ${format}: load says what to do, and needs no place for parts that are given`, async () => {
    const lacking =
      /^PackedError LOAD_FAILED .*import 'packed-weights\/inline', or pass load\(\{ wasm \}\)$/;
    for (const options of [
      '',
      `{ isa: 'simd128' }`,
      `{ tools: false }`,
      `{ wasm: part('simd128.wasm') }`,
    ]) {
      const refusal = await logged(format, `await load(${options}).then(said, refused);`);
      assert.match(refusal, lacking, options);
    }
    const given = ['columns', 'tools', 'files'].map(
      (name) => `${name}: part('simd128.${name}.wasm')`,
    );
    for (const options of [
      `{ wasm: { first: part('simd128.wasm'), ${given} } }`,
      `{ wasm: part('simd128.wasm'), tools: false }`,
    ]) {
      assert.equal(await logged(format, `said(await load(${options}));`), 'simd128 32', options);
    }
  });
}

test('load: where a policy forbids to compile, the error says what it must allow', async (t) => {
  // Node compiles a module of its own with the first of these.
  void new Response();
  // As Chromium, Firefox and Safari put it.
  for (const words of [
    "WebAssembly.compile(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because neither 'wasm-eval' nor 'unsafe-eval' is an allowed source of script",
    'call to WebAssembly.compile() blocked by CSP',
    "Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script",
  ]) {
    const { mock } = t.mock.method(WebAssembly, 'compile', async () => {
      throw new WebAssembly.CompileError(words);
    });
    await assert.rejects(load({ wasm: new Uint8Array(8) }), ({ code, message }) => {
      assert.equal(code, 'LOAD_FAILED');
      assert.ok(message.includes(words) && message.endsWith("script-src 'wasm-unsafe-eval'"));
      return true;
    });
    mock.restore();
  }
});
