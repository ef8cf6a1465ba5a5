// A file behind a URL: what servers do right, and everything that they do wrong said as what it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { gzipSync } from 'node:zlib';
import { requireSmallModel, smallModel } from '../support/gguf-files.js';
import {
  cuts,
  cutting,
  honest,
  longModel,
  oddServers,
  serveBytes,
} from '../support/odd-servers.js';

const pw = await load();
const bytes = smallModel();

async function serve(t, answer, content = bytes) {
  const server = await serveBytes(content, answer);
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

// As sirv does, the server of Vite's pages: a last byte of 0 is none to it.
const likeSirv =
  (content) =>
  ({ response, range }) => {
    const [, from, to] = /(\d+)-(\d+)/.exec(range) ?? [];
    const { length } = content;
    if (to === undefined) return response.writeHead(416, { 'content-range': 'bytes */0' }).end();
    const end = Number(to) || length - 1;
    const headers = { 'content-range': `bytes ${from}-${end}/${length}` };
    response.writeHead(206, headers).end(content.subarray(Number(from), end + 1));
  };

test('URLs: a server that takes a last byte of 0 for none is read all the same, at any length', async (t) => {
  const { url } = await serve(t, likeSirv(bytes));
  await requireWhole(url);
  for (const length of [0, 1, 2, 3, 24]) {
    const short = bytes.subarray(0, length);
    const error = await pw.openGguf(short).catch((cause) => cause);
    const message = error.message.replace('bytes in memory', '');
    for (const answer of [likeSirv(short), length === 0 ? likeSirv(short) : honest]) {
      const server = await serve(t, answer, short);
      await assert.rejects(pw.openGguf(server.url), {
        code: error.code,
        message: server.url + message,
      });
    }
  }
});

test('URLs: what blob: and data: URLs hold is read whole, and messages do not repeat it', async () => {
  const blob = URL.createObjectURL(new Blob([bytes]));
  const inside = `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`;
  for (const url of [blob, new URL(blob), inside, new URL(inside)]) await requireWhole(url);
  URL.revokeObjectURL(blob);
  await assert.rejects(pw.openGguf(blob), { code: 'IO_FAILED', message: /cannot be fetched/ });

  const long = URL.createObjectURL(new Blob([longModel()]));
  await requireLong(long);
  URL.revokeObjectURL(long);

  assert.ok(inside.length > 2000);
  const { name } = await pw.openGguf(inside);
  assert.ok(name.startsWith('data:') && name.length < 500, name);
  for (const wrong of [inside.replace('R', '!'), `data:text/plain,${'x'.repeat(100_000)}`]) {
    await assert.rejects(pw.openGguf(wrong), ({ code, message }) => {
      assert.ok(['NOT_GGUF', 'IO_FAILED'].includes(code), code);
      assert.ok(message.startsWith('data:') && message.length < 1000, `${message.length}`);
      return true;
    });
  }
});

test('URLs: a server that does not say in its parts how long the file is is read all the same', async (t) => {
  const { url } = await serve(t, ({ response, part, range }) => {
    const told = part.length > 2 ? range.replace(/\d+$/, '*') : range;
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

const long = longModel();

/** The long tensor, which must be what was sent. */
async function requireLong(url) {
  const file = await pw.openGguf(url);
  const { offset, byteLength } = file.tensor('long.weight');
  const read = await file.bytes('long.weight');
  assert.ok(Buffer.compare(read, long.subarray(offset, offset + byteLength)) === 0);
  return file.tensor('long.weight');
}

for (const [name, how] of Object.entries(cuts)) {
  test(`URLs: ${name} three times and comes whole, and a fourth time is an error`, async (t) => {
    const { url, requests } = await serve(t, cutting(how, 3), long);
    const { offset, byteLength } = await requireLong(url);
    const end = offset + byteLength - 1;
    const starts = requests
      .map((range) => /^bytes=(\d+)-(\d+)$/.exec(range))
      .filter(([, , to]) => Number(to) === end)
      .map(([, from]) => Number(from));
    assert.equal(starts.length, 4);
    // Never behind a byte that has not come, and never past what was sent until then.
    let sent = offset;
    for (const from of starts) {
      assert.ok(from >= offset && from <= sent, `${starts}, sent up to ${sent}`);
      sent = Math.max(sent, from + Math.floor((end + 1 - from) * how.share));
    }
    const whole = how.stated || how.share !== 1 / 3;
    assert.equal(
      starts.every((from) => from === offset),
      whole,
      `${starts}`,
    );
    const worse = await serve(t, cutting(how, 4), long);
    await assert.rejects(pw.openGguf(worse.url), {
      name: 'PackedError',
      code: 'IO_FAILED',
      message: /broke off within bytes 0 to 65535 \(.+\): try again/,
    });
    assert.equal(worse.requests.length, 1 + 4);
  });
}

test('URLs: what an answer goes on with is of the same state of the file and of the part asked for', async (t) => {
  const range = (from, part) => `bytes ${from}-${from + part.length - 1}/${long.length}`;
  for (const [goesOn, said] of [
    [
      ({ response, part, range }) =>
        response.writeHead(206, { 'content-range': range, etag: '"2"' }).end(part),
      /changed while it was read/,
    ],
    [({ response }) => response.writeHead(200).end(long), /sent something else than bytes/],
    [({ response }) => response.writeHead(416).end(), /sent something else than bytes/],
    [({ response }) => response.writeHead(503).end(), /answered 503.*: try again later/],
    [
      ({ response, part }) =>
        response.writeHead(206, { 'content-range': range(9, part), etag: '"1"' }).end(part),
      /sent something else than bytes/,
    ],
    [
      ({ response, range, part }) =>
        response.writeHead(206, { 'content-range': range, etag: '"1"' }).end(part.subarray(0, -1)),
      /gave \d+ bytes where \d+ at/,
    ],
    [
      ({ response, range, part }) =>
        response
          .writeHead(206, { 'content-range': range, etag: '"1"' })
          .end(Buffer.concat([part, part])),
      /sent more than the \d+ bytes at/,
    ],
  ]) {
    let asked = 0;
    const first = cutting(cuts['a part without its length is cut in the middle'], 1);
    const server = await serve(
      t,
      (given) => {
        if (given.part.length < 1_000_000) return honest(given);
        return asked++ === 0 ? first(given) : goesOn(given);
      },
      long,
    );
    const file = await pw.openGguf(server.url);
    await assert.rejects(file.bytes('long.weight'), {
      name: 'PackedError',
      code: 'IO_FAILED',
      message: said,
    });
    assert.equal(asked, 2);
  }
});

test('URLs: of what came compressed and cannot be taken apart to its end nothing is kept', async (t) => {
  const packed = gzipSync(long);
  packed.fill(0xff, packed.length >> 1);
  let asked = 0;
  const server = await serve(
    t,
    (given) => {
      const { response, part, range } = given;
      if (part.length < 1_000_000 || asked++ > 0) return honest(given);
      const headers = { 'content-range': range, etag: '"1"', 'content-encoding': 'gzip' };
      response.writeHead(206, headers).end(packed);
    },
    long,
  );
  const { offset, byteLength } = await requireLong(server.url);
  assert.equal(asked, 2);
  assert.equal(server.requests.at(-1), `bytes=${offset}-${offset + byteLength - 1}`);
});

test('URLs: a server that is gone in the middle of a part is one that cannot be reached', async (t) => {
  let gone = false;
  const { url, requests } = await serve(
    t,
    (given) => {
      const { response, part, range } = given;
      if (gone) return response.destroy();
      if (part.length < 1_000_000) return honest(given);
      gone = true;
      response.writeHead(206, { 'content-range': range, etag: '"1"' });
      response.write(part.subarray(0, 99), () => response.destroy());
    },
    long,
  );
  const file = await pw.openGguf(url);
  const before = requests.length;
  await assert.rejects(file.bytes('long.weight'), {
    code: 'IO_FAILED',
    message: /cannot be fetched/,
  });
  assert.equal(requests.length - before, 4);
});

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
