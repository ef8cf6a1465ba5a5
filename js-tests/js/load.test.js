import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, PackedError } from 'packed-weights';
import { serveBytes } from '../support/odd-servers.js';

const wasm = (isa) => new URL(import.meta.resolve(`packed-weights/${isa}.wasm`));

test('load: twice is once', async () => {
  assert.equal(await load(), await load());
  assert.equal(await load({ isa: 'simd128' }), await load({ isa: 'simd128' }));
});

test('load: isa can be forced, and the module says what runs', async () => {
  const pw = await load({ isa: 'simd128' });
  assert.equal(pw.isa, 'simd128');
  assert.ok(pw.kernels.every((name) => !name.endsWith('_relaxed')));
});

test('load: the wasm may come as URL, bytes, module or response', async () => {
  const bytes = await readFile(wasm('simd128'));
  const response = new Response(bytes, { headers: { 'content-type': 'application/wasm' } });
  const sources = [
    wasm('simd128'),
    bytes,
    await WebAssembly.compile(bytes),
    response,
    new Response(bytes),
  ];
  for (const source of sources) {
    const pw = await load({ wasm: source });
    assert.equal(pw.decode(pw.fixtures.decodable('Q4_0').bytes, 'Q4_0').length, 15 * 32);
  }
});

test('load: says why it runs what it runs', async () => {
  assert.equal((await load({ isa: 'simd128' })).isaReason, 'it was asked for');
  const best = await load();
  const reason =
    best.isa === 'relaxed'
      ? /passed its self-check/
      : /no usable relaxed SIMD|failed their self-check/;
  assert.match(best.isaReason, reason);
});

test('load: a module of another instruction set than asked for is refused', async () => {
  await assert.rejects(load({ isa: 'simd128', wasm: wasm('relaxed') }), (error) => {
    assert.ok(error instanceof PackedError);
    assert.equal(error.code, 'LOAD_FAILED');
    return true;
  });
});

test('load: where a bundler took the script from its .wasm files, the error says what to do', async () => {
  await assert.rejects(load({ wasm: new URL('file:///nowhere/simd128.wasm') }), {
    code: 'LOAD_FAILED',
    message: /nowhere\/simd128\.wasm.*serverExternalPackages.*packed-weights\/inline/,
  });
});

test('load: what is no module fails with LOAD_FAILED and says why', async () => {
  const bad = [
    new Uint8Array([0, 1, 2, 3]),
    new URL('file:///does/not/exist.wasm'),
    new Response('', { status: 404 }),
  ];
  for (const source of bad) {
    await assert.rejects(load({ wasm: source }), { name: 'PackedError', code: 'LOAD_FAILED' });
  }
  await assert.rejects(load({ wasm: 42 }), { code: 'INVALID_ARGUMENT' });
});

test('load: whatever is wrong with a place is said with the place and with what to do', async (t) => {
  const whole = await readFile(wasm('simd128'));
  const type = { 'content-type': 'application/wasm' };
  const answers = {
    'answers 503': ({ response }) => response.writeHead(503).end(),
    'hangs up': ({ response }) => response.destroy(),
    'breaks off': ({ response }) => {
      response.writeHead(200, { ...type, 'content-length': whole.length });
      response.write(whole.subarray(0, 1000), () => response.destroy());
    },
    'breaks off without its type': ({ response }) => {
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.subarray(0, 1000), () => response.destroy());
    },
    'sends the page of an app for whatever it does not have': ({ response }) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end('<!doctype html>'),
    'sends a page': ({ response }) => response.writeHead(200, type).end('<!doctype html>'),
    'sends a part': ({ response }) => response.writeHead(200, type).end(whole.subarray(0, 9999)),
    'redirects to itself': ({ response }) => response.writeHead(302, { location: '/m.gguf' }).end(),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const { url, close } = await serveBytes(whole, answer);
    t.after(close);
    for (const source of [url, new URL(url), { first: wasm('simd128'), tools: url }]) {
      await assert.rejects(load({ wasm: source }), (error) => {
        assert.equal(error.code, 'LOAD_FAILED', `${name}: ${error.stack}`);
        assert.ok(error.message.startsWith(url), error.message);
        assert.match(error.message, /serve (all files|the package's \.wasm)/);
        if (name.startsWith('sends the page'))
          assert.match(error.message, /answered 200 text\/html/);
        return true;
      });
    }
  }
});

test('load: an unknown isa is refused with what there is', async () => {
  await assert.rejects(load({ isa: 'avx' }), /'auto' or 'scalar' or 'simd128' or 'relaxed'/);
});

test('load: V8 before 11.4 never runs the relaxed module', { skip: newerThanThat() }, async () => {
  assert.equal((await load()).isa, 'simd128');
  await assert.rejects(load({ isa: 'relaxed' }), { code: 'LOAD_FAILED' });
});

function newerThanThat() {
  const [major, minor] = process.versions.v8.split('.').map(Number);
  return major > 11 || (major === 11 && minor >= 4) ? `this is V8 ${process.versions.v8}` : false;
}
