// A signal ends what waits for a reader, whatever the reader does about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { smallModel } from '../support/gguf-files.js';

const pw = await load();
const bytes = smallModel();

test('sources: one signal for many reads at once ends them all, and Node warns of no leak', async (t) => {
  /** @type {string[]} */
  const warnings = [];
  const keep = (/** @type {Error} */ { name }) => warnings.push(name);
  process.on('warning', keep);
  t.after(() => process.off('warning', keep));
  let holds = false;
  const read = (offset, length) =>
    holds ? new Promise(() => {}) : bytes.subarray(offset, offset + length);
  const file = await pw.openGguf({ size: bytes.length, read });
  holds = true;
  const own = new AbortController();
  const reads = Array.from({ length: 40 }, (_, i) => file.read(i, 8, { signal: own.signal }));
  const ended = Promise.allSettled(reads);
  // Warnings are told in a turn of their own.
  await new Promise((resolve) => setImmediate(resolve));
  own.abort();
  for (const { status, reason } of await ended) {
    assert.equal(status, 'rejected');
    assert.equal(reason.name, 'AbortError');
  }
  assert.deepEqual(warnings, []);
  await file.close();
});

test('sources: an aborted signal ends what waits for a reader that does not heed it', async () => {
  let holds = true;
  const read = (offset, length) =>
    holds ? new Promise(() => {}) : bytes.subarray(offset, offset + length);
  const source = { size: bytes.length, read };
  holds = false;
  const file = await pw.openGguf(source);
  const { name } = file.tensors[0];
  holds = true;
  for (const wait of [
    (how) => pw.openGguf(source, how),
    (how) => pw.validate(source, how),
    (how) => file.read(0, 8, how),
    (how) => file.bytes(name, how),
    (how) => file.view(name, how),
  ]) {
    const controller = new AbortController();
    const waiting = wait({ signal: controller.signal });
    controller.abort();
    await assert.rejects(waiting, { name: 'AbortError' }, `${wait}`);
  }
  // Also where the reader itself is who ends it.
  const own = new AbortController();
  const ending = { size: bytes.length, read: () => (own.abort(), new Promise(() => {})) };
  await assert.rejects(pw.openGguf(ending, { signal: own.signal }), { name: 'AbortError' });
  const half = { throwIfAborted() {} };
  await assert.rejects(pw.openGguf(bytes, { signal: half }), { code: 'INVALID_ARGUMENT' });
});
