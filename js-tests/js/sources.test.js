// A file is read the same whatever it is given as, and what goes wrong on the way is said.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { load } from 'packed-weights';
import { requireSmallModel, smallModel, writeSparseModel } from '../support/gguf-files.js';
import { ggufFile, ggufHeader } from '../support/gguf-writer.js';
import { serveBytes } from '../support/odd-servers.js';
import { PseudoRandom } from '../support/pseudo-random.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-sources-'));
after(() => rmSync(folder, { recursive: true }));
const bytes = smallModel();
const path = join(folder, 'small model.gguf');
writeFileSync(path, bytes);

const requireSame = (source) => requireSmallModel(pw, source);

test('sources: Blob, File, ArrayBuffer, Uint8Array, path, file URL and a reader give the same', async () => {
  const inside = new Uint8Array(bytes.length + 10);
  inside.set(bytes, 5);
  const reader = {
    size: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
  for (const source of [
    new Blob([bytes]),
    new File([bytes], 'm.gguf'),
    bytes.slice().buffer,
    inside.subarray(5, 5 + bytes.length),
    path,
    pathToFileURL(path),
    pathToFileURL(path).href,
    reader,
  ])
    await requireSame(source);
  for (const wrong of [undefined, null, 7, {}, { size: -1, read() {} }])
    await assert.rejects(pw.openGguf(wrong), { code: 'INVALID_ARGUMENT' });
});

test('sources: a reader of a class may have members of its own, and its functions find them', async () => {
  class Reader {
    closed = 0;
    label = 'not asked for';
    get size() {
      return bytes.length;
    }
    async read(offset, length) {
      return bytes.subarray(offset, offset + length);
    }
    close() {
      ++this.closed;
    }
  }
  const reader = new Reader();
  await requireSame(reader);
  assert.equal(reader.closed, 2);
});

test('sources: a reader may give the same memory again and again', async () => {
  const [out, inputDim] = [6000, 1024];
  const blocks = new Uint8Array((out * inputDim * 34) / 32);
  for (let at = 2; at < blocks.length; at += 34) blocks[at] = at % 113;
  const shape = [out, inputDim];
  const model = pw.writeGguf({ tensors: [{ name: 'w', encoding: 'Q8_0', shape, bytes: blocks }] });
  // An infinite scale in a window that is neither the first nor the last.
  const damaged = model.slice();
  damaged[model.length - blocks.length + 34 * 80_000 + 1] = 0x7c;
  const memory = new Uint8Array(model.length);
  const readerOf = (bytes, wait) => ({
    size: bytes.length,
    async read(offset, length) {
      if (wait) await null;
      memory.set(bytes.subarray(offset, offset + length));
      return memory.subarray(0, length);
    },
  });
  for (const wait of [false, true]) {
    const file = await pw.openGguf(readerOf(model, wait));
    const view = await file.view('w', { weightForm: { shape: 'OUT_IN' } });
    assert.ok(Buffer.compare(view.bytes(), blocks) === 0);
    view.dispose();
    const kept = await file.bytes('w');
    await file.read(0, 64);
    assert.ok(Buffer.compare(kept, blocks) === 0);
    const { findings } = await pw.validate(readerOf(damaged, wait));
    const errors = findings.filter(({ severity }) => severity === 'error');
    assert.deepEqual(
      errors.map(({ rule, count }) => [rule, count]),
      [['scale-not-finite', 1]],
    );
  }
});

test('sources: what goes wrong while it is read is told, whatever closing it says', async () => {
  const close = () => {
    throw new Error('it cannot be closed');
  };
  const lost = new Error('the disk is gone');
  const failing = { size: bytes.length, read: () => Promise.reject(lost), close };
  const told = { code: 'IO_FAILED', offset: 0, cause: lost, message: /the disk is gone/ };
  await assert.rejects(pw.openGguf(failing), told);
  await assert.rejects(pw.validate(failing), told);
  const page = { size: 99, read: (_, length) => new Uint8Array(length).fill(60), close };
  await assert.rejects(pw.openGguf(page), { code: 'NOT_GGUF' });
  const sound = {
    size: bytes.length,
    read: (at, length) => bytes.subarray(at, at + length),
    close,
  };
  await assert.rejects(pw.validate(sound), { code: 'IO_FAILED', message: /cannot be closed/ });
});

test('sources: a reader that gives too little is refused with the offset', async () => {
  const read = (offset, length) => bytes.subarray(offset, offset + length - 1);
  await assert.rejects(pw.openGguf({ size: bytes.length, read }), { code: 'IO_FAILED', offset: 0 });
  for (const given of [[...bytes.subarray(0, 24)], new ArrayBuffer(24), undefined]) {
    const odd = { size: bytes.length, read: () => given };
    await assert.rejects(pw.openGguf(odd), {
      code: 'INVALID_ARGUMENT',
      message: /must be a Uint8Array/,
    });
  }
});

test('sources: a pipe is no file, and nobody waits for who writes to it', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const call of ['openGguf', 'validate']) {
    const message = /pipe cannot be opened: it is not a file; store what comes from it in one/;
    await assert.rejects(pw[call](pipe), { code: 'IO_FAILED', message });
    await assert.rejects(pw[call](folder), {
      code: 'IO_FAILED',
      message: /it is a folder; name a file in it/,
    });
  }
});

test('sources: more than any piece of memory holds is OUT_OF_MEMORY, from whatever source, and says how to read it', async (t) => {
  // Four pebibytes, more than processes have addresses for.
  const rows = 2 ** 42;
  const header = ggufHeader({}, [{ name: 'w', ne: [256, rows], ggmlType: 0, byteLength: 0 }]);
  const size = header.length + 1024 * rows;
  // As much as is read at first.
  const head = new Uint8Array(64 << 10);
  head.set(header);
  const { url, close } = await serveBytes(head, ({ response, part, range }) =>
    response.writeHead(206, { 'content-range': range.replace(/\d+$/, `${size}`) }).end(part),
  );
  t.after(close);
  const read = (offset, length) => head.subarray(offset, offset + length);
  const blob = new Blob([head]);
  const slice = (from, to) =>
    to <= head.length
      ? Blob.prototype.slice.call(blob, from, to)
      : { arrayBuffer: () => Promise.reject(new RangeError('Array buffer allocation failed')) };
  Object.defineProperties(blob, { size: { value: size }, slice: { value: slice } });
  for (const source of [{ size, read }, url, blob]) {
    const file = await pw.openGguf(source);
    for (const ask of [() => file.bytes('w'), () => file.read(7, 1024 * rows)]) {
      await assert.rejects(ask(), {
        name: 'PackedError',
        code: 'OUT_OF_MEMORY',
        message: /no memory for \d+ bytes at \d+ in one piece; .* by parts \(file\.read\)/,
      });
    }
    await file.close();
  }
});

test('sources: an aborted signal ends reading with AbortError', async (t) => {
  const { url, close } = await serveBytes(bytes, () => {});
  t.after(close);
  for (const source of [path, new Blob([bytes]), url, bytes]) {
    const early = { signal: AbortSignal.abort() };
    await assert.rejects(pw.openGguf(source, early), { name: 'AbortError' });
    await assert.rejects(pw.validate(source, early), { name: 'AbortError' });
  }
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(pw.openGguf(url, { signal: controller.signal }), { name: 'AbortError' });
});

test('sources: progress grows and ends at all of the file', async () => {
  const seen = [];
  await pw.validate(path, { onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(seen.at(-1), { bytesRead: bytes.length, totalBytes: bytes.length });
  for (let i = 1; i < seen.length; ++i) assert.ok(seen[i].bytesRead > seen[i - 1].bytesRead);
});

test('sources: metadata of a long header is told as it arrives, that of a short one with the file', async () => {
  const long = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`text.${i}`, String(i).repeat(30_000 << (i % 4))]),
  );
  const told = async (metadata) => {
    const seen = [];
    const onMetadata = (soFar) => seen.push([...soFar]);
    const { metadata: all } = await pw.openGguf(ggufFile(metadata, []), { onMetadata });
    for (const soFar of seen) assert.deepEqual(soFar, [...all].slice(0, soFar.length));
    return seen.map((soFar) => soFar.length);
  };
  const counts = await told({ 'general.architecture': 'test', ...long });
  assert.ok(counts.length > 2 && counts[0] > 0 && counts.at(-1) < 10);
  for (let i = 1; i < counts.length; ++i) assert.ok(counts[i] >= counts[i - 1]);
  assert.deepEqual(await told({ 'general.architecture': 'test' }), []);
});

test('report ODS #5514: headers around and beyond any first chunk are read on', async () => {
  const values = new Uint8Array(16);
  const withText = (length) =>
    ggufFile({ 'general.architecture': 'test', text: 'x'.repeat(length) }, [
      { name: 'w', ne: [4], ggmlType: 0, bytes: values },
    ]);
  const least = withText(0).length - 32;
  for (const size of [65535, 65536, 65537, 9 << 20]) {
    for (const extra of [0, -31]) {
      const file = await pw.openGguf(withText(size - least + extra));
      assert.equal(file.metadata.get('text').length, size - least + extra);
      assert.equal((await file.bytes('w')).length, 16);
    }
  }
});

test('report wllama #12, llama.cpp #19862: files of 2.1 to 40 GiB open at once, tensors beyond 2^31 and 2^32 too', async (t) => {
  const gib = 2 ** 30;
  for (const size of [2.1, 3, 6, 40]) {
    const big = join(folder, 'big.gguf');
    const rows = Math.floor((size * gib) / (4096 * 34));
    await writeSparseModel(big, [
      { name: 'big', encoding: 'Q8_0', ne: [4096 * 32, rows] },
      { name: 'last', encoding: 'F32', ne: [8] },
    ]);
    const before = process.memoryUsage().rss;
    const start = performance.now();
    const file = await pw.openGguf(big);
    const took = performance.now() - start;
    const { offset } = file.tensor('last');
    assert.ok(offset > size * gib * 0.999, `${size}: ${offset}`);
    assert.deepEqual(await file.bytes('last'), new Uint8Array(32));
    assert.deepEqual([...(await file.view('last')).toFloats()], new Array(8).fill(0));
    const { findings } = await pw.validate(big, { tensorData: false });
    assert.ok(findings.every(({ severity }) => severity !== 'error'));
    const grown = (process.memoryUsage().rss - before) / 2 ** 20;
    await file.close();
    t.diagnostic(`${size} GiB: opened in ${took.toFixed(1)} ms, ${grown.toFixed(1)} MiB more`);
    assert.ok(took < 250, `${size} GiB: ${took} ms`);
    assert.ok(grown < 64, `${size} GiB: ${grown} MiB`);
  }
});

test('sources: sparse files of 2.1 to 40 GiB are checked whole in under 64 MiB, data at their end too', async (t) => {
  const big = join(folder, 'holes.gguf');
  for (const gib of [2.1, 3, 6, 40]) {
    const rows = Math.floor((gib * 2 ** 30) / (4096 * 34));
    const { size } = await writeSparseModel(big, [
      { name: 'big', encoding: 'Q8_0', ne: [4096 * 32, rows] },
      { name: 'last', encoding: 'F32', ne: [8] },
    ]);
    const file = await open(big, 'r+');
    await file.write(new Float32Array([1, 2, 3, NaN, 5, 6, 7, 8]), 0, 32, size - 32);
    await file.close();
    const before = process.memoryUsage.rss();
    let most = 0;
    const onProgress = () => (most = Math.max(most, process.memoryUsage.rss()));
    const start = performance.now();
    const report = await pw.validate(big, { onProgress });
    const took = performance.now() - start;
    const grown = (most - before) / 2 ** 20;
    t.diagnostic(`${gib} GiB: ${took.toFixed(0)} ms, ${grown.toFixed(1)} MiB more`);
    const [nan] = report.findings.filter(({ rule }) => rule === 'value-not-finite');
    assert.equal(nan.offset, size - 20);
    assert.equal(report.tensorsChecked, 2);
    assert.equal(report.bytesChecked, rows * 4096 * 34 + 32);
    const holes = report.findings.filter(({ rule }) => rule === 'holes-skipped');
    assert.equal(holes.length, report.bytesSkipped > 0 ? 1 : 0);
    assert.ok(grown < 64, `${gib} GiB: ${grown} MiB`);
    // Where the file system does not say how much is stored, every byte is read.
    if (report.bytesSkipped === 0) break;
  }
});

test('sources: holes change nothing about what is found, wherever the data are', async () => {
  const path = join(folder, 'islands.gguf');
  const random = new PseudoRandom(7);
  for (let round = 0; round < 24; ++round) {
    const rows = 300 + random.below(200);
    const { size, header } = await writeSparseModel(path, [
      { name: 'w', encoding: 'F32', ne: [8192, rows] },
    ]);
    const file = await open(path, 'r+');
    for (let i = random.below(5); i > 0; --i) {
      const at = header + 4 * random.below((size - header - 4000) / 4);
      const values = new Float32Array(1 + random.below(1000)).fill(random.below(2) ? NaN : 1);
      await file.write(values, 0, values.byteLength, at);
    }
    await file.close();
    const byPath = await pw.validate(path);
    const byBlob = await pw.validate(await openAsBlob(path));
    const said = ({ findings }) =>
      findings.filter(({ rule }) => rule !== 'holes-skipped').map(({ message }) => message);
    assert.deepEqual(said(byPath), said(byBlob), `round ${round}`);
    assert.equal(byBlob.bytesSkipped, 0);
  }
});

test('sources: holes that a reader knows of are passed over and reported, at any size', async () => {
  const rows = Math.floor((40 * 2 ** 30) / (4096 * 34));
  const path = join(folder, 'forty.gguf');
  const { size, header } = await writeSparseModel(path, [
    { name: 'big', encoding: 'Q8_0', ne: [4096 * 32, rows] },
  ]);
  const file = new Uint8Array(await (await openAsBlob(path)).slice(0, header).arrayBuffer());
  let bytesRead = 0;
  const source = {
    size,
    nextData: (offset) => (offset < header ? offset : size),
    read(offset, length) {
      bytesRead += length;
      const bytes = new Uint8Array(length);
      if (offset < header) bytes.set(file.subarray(offset, offset + length));
      return bytes;
    },
  };
  const report = await pw.validate(source);
  assert.ok(bytesRead < 2 ** 20, `${bytesRead} bytes were read`);
  assert.equal(report.tensorsChecked, 1);
  assert.ok(report.bytesSkipped > 40 * 2 ** 30 * 0.999);
  const [hole] = report.findings.filter(({ rule }) => rule === 'holes-skipped');
  assert.match(hole.message, new RegExp(`^${report.bytesSkipped} bytes are holes`));
});

test('sources: a tensor that is cancelled or cannot be read to its end gives its memory back', async () => {
  const rows = 1024;
  const path = join(folder, 'long.gguf');
  await writeSparseModel(path, [{ name: 'w', encoding: 'Q8_0', ne: [8192, rows] }]);
  const file = await pw.openGguf(path);
  const scope = pw.scope();
  const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
  const controller = new AbortController();
  const steps = [];
  const onProgress = ({ bytesRead, totalBytes }) => {
    steps.push(bytesRead / totalBytes);
    if (steps.length === 2) controller.abort();
  };
  const options = { weightForm, scope, onProgress, signal: controller.signal };
  await assert.rejects(file.view('w', options), { name: 'AbortError' });
  assert.ok(steps.length === 2 && steps[1] > steps[0] && steps[1] < 1, String(steps));
  assert.equal(scope.bytes, 0);
  await file.view('w', { weightForm, scope });
  assert.equal(scope.bytes, rows * (8192 / 32) * 34);
  scope.close();
  await file.close();

  const checks = new AbortController();
  const seen = [];
  const stop = ({ bytesRead }) => seen.push(bytesRead) === 2 && checks.abort();
  const blob = await openAsBlob(path);
  let closed = 0;
  const source = {
    size: blob.size,
    read: async (offset, length) =>
      new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
    close: () => ++closed,
  };
  const cancelled = pw.validate(source, { signal: checks.signal, onProgress: stop });
  await assert.rejects(cancelled, { name: 'AbortError' });
  assert.deepEqual([seen.length, closed], [2, 1]);

  // A path is read at once, and still leaves others their turn.
  const timed = new AbortController();
  const dense = new Uint8Array(blob.size).fill(1);
  dense.set(new Uint8Array(await blob.slice(0, 4096).arrayBuffer()));
  writeFileSync(path, dense);
  setImmediate(() => setImmediate(() => timed.abort()));
  await assert.rejects(pw.validate(path, { signal: timed.signal }), { name: 'AbortError' });
});
