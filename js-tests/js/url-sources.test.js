// A file behind a URL: what servers do right, and everything that they do wrong said as what it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { requireSmallModel, smallModel } from '../support/gguf-files.js';
import { honest, oddServers, serveBytes } from '../support/odd-servers.js';

const pw = await load();
const bytes = smallModel();

async function serve(t, answer) {
  const server = await serveBytes(bytes, answer);
  t.after(server.close);
  return server;
}

const requireWhole = (source) => requireSmallModel(pw, source);

test('URLs: a file is read by Range requests, and only the parts that are needed', async (t) => {
  const { url, requests } = await serve(t, honest);
  await requireWhole(url);
  await requireWhole(new URL(url));
  assert.ok(requests.every((range) => /^bytes=\d+-\d+$/.test(range)));
});

test('URLs: a server that ignores Range sends all, and is read all the same', async (t) => {
  const { url } = await serve(t, ({ response }) => response.writeHead(200).end(bytes));
  await requireWhole(url);
});

test('URLs: a server that does not say in its parts how long the file is is read all the same', async (t) => {
  const { url } = await serve(t, ({ response, part, range }) => {
    const told = part.length > 1 ? range.replace(/\d+$/, '*') : range;
    response.writeHead(206, { 'content-range': told }).end(part);
  });
  await requireWhole(url);
});

test('URLs: an empty file is said to be empty, and a page in place of a file to be one, by its address', async (t) => {
  const empty = await serve(t, ({ response }) =>
    response.writeHead(416, { 'content-range': 'bytes */0' }).end(),
  );
  const login = await serve(t, ({ url, response }) =>
    url === '/m.gguf'
      ? response.writeHead(302, { location: '/login' }).end()
      : response.writeHead(200).end('<!doctype html><p>Who are you?'),
  );
  for (const [{ url }, said] of [
    [empty, 'the file is empty'],
    [login, 'not a GGUF file; it is an HTML page'],
  ]) {
    await assert.rejects(pw.openGguf(url), ({ code, message }) => {
      assert.equal(code, 'NOT_GGUF');
      assert.ok(message.startsWith(`${url}: ${said}`), message);
      return true;
    });
    const { findings } = await pw.validate(url);
    assert.ok(findings[0].message.startsWith(said));
  }
});

for (const [name, [answer, message]] of Object.entries(oddServers(bytes))) {
  test(`URLs: a server that ${name} is an error that says so, whatever reads`, async (t) => {
    const read = {
      openGguf: (url) => pw.openGguf(url),
      validate: (url) => pw.validate(url),
      'openGguf of shards': (url) => pw.openGguf([url]),
    };
    for (const [how, reading] of Object.entries(read)) {
      const { url } = await serve(t, answer);
      await assert.rejects(reading(url), (error) => {
        assert.equal(error.name, 'PackedError', `${how}: ${error.stack}`);
        assert.equal(error.code, 'IO_FAILED');
        assert.equal(error.offset, 0);
        assert.ok(error.message.startsWith(url), error.message);
        assert.match(error.message, message);
        return true;
      });
    }
  });
}

test('URLs: what goes wrong with a tensor says at which of its bytes, and the next attempt may work', async (t) => {
  let working = true;
  const { url } = await serve(t, (given) => {
    if (working) return honest(given);
    const { response, part, range } = given;
    response.writeHead(206, { 'content-range': range, etag: '"1"', 'content-length': part.length });
    response.write(part.subarray(0, 20), () => response.destroy());
  });
  const file = await pw.openGguf(url);
  const { offset, byteLength } = file.tensor('wide.weight');
  const scope = pw.scope();
  for (const read of [() => file.bytes('wide.weight'), () => file.view('wide.weight', { scope })]) {
    working = false;
    await assert.rejects(read(), {
      code: 'IO_FAILED',
      offset,
      message: new RegExp(`broke off within bytes ${offset} to ${offset + byteLength - 1} `),
    });
    assert.equal(scope.bytes, 0);
    working = true;
    await read();
  }
  scope.close();
});

test('URLs: a signal that is aborted in the middle of a body ends it with AbortError', async (t) => {
  for (const first of [true, false]) {
    const controller = new AbortController();
    const { url } = await serve(t, (given) => {
      if (!first && given.count === 1) return honest(given);
      const { response, part, range } = given;
      const status = first ? 200 : 206;
      const body = first ? bytes : part;
      response.writeHead(status, {
        'content-length': body.length,
        ...(!first && { 'content-range': range, etag: '"1"' }),
      });
      response.write(body.subarray(0, 20), () => setTimeout(() => controller.abort(), 10));
    });
    const opening = pw.openGguf(url, { signal: controller.signal });
    await assert.rejects(opening, { name: 'AbortError' });
  }
});
