// What a file says of a tensor that cannot be read is the same wherever it is asked for.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { cases } from '../support/cases.js';
import { ggufFile } from '../support/gguf-writer.js';

const pw = await load();
const forms = [
  'streaming',
  'legacy',
  { shape: 'OUT_IN', encoding: 'dequantize' },
  { shape: 'OUT_IN', order: 'KERNEL_FEED' },
];

const weights = [
  { name: 'q', ne: [64, 3], ggmlType: 2, bytes: new Uint8Array(108) },
  { name: 'norm', ne: [4], ggmlType: 0, bytes: new Uint8Array(16) },
  { name: 'last', ne: [32, 2, 2], ggmlType: 8, bytes: new Uint8Array(136) },
];
const little = ggufFile({ 'general.architecture': 'test' }, weights);

/** @type {[string, Uint8Array][]} */
const files = [
  ...cases.map(
    ({ file, path }) => /** @type {[string, Uint8Array]} */ ([file, readFileSync(path)]),
  ),
  ['all there', little],
  ['last cut', little.subarray(0, little.length - 32)],
  ['all cut', little.subarray(0, little.length - 300)],
  ['big-endian', ggufFile({ 'general.architecture': 'test' }, weights, true)],
];

/** @returns {Promise<any>} what a call throws, if it does */
const thrownBy = async (call) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
};

/** @param {(file: any, what: string) => Promise<void>} use called with every one that opens */
async function withEach(use) {
  let opened = 0;
  for (const [what, bytes] of files) {
    const file = await pw.openGguf(bytes).catch(() => null);
    if (!file) continue;
    ++opened;
    await use(file, what);
    await file.close();
  }
  assert.ok(opened > 30);
}

test('unreadable tensors: view refuses with the words and at the byte that range does', async () => {
  let refused = 0;
  await withEach(async (file, what) => {
    for (const { name } of file.tensors) {
      const wrong = await thrownBy(() => file.range(name));
      for (const weightForm of forms) {
        const error = await thrownBy(() => file.view(name, { weightForm }));
        if (!wrong) continue;
        assert.ok(error, `${what}: ${name} was viewed`);
        // Others refuse it for what it is, wherever it stands.
        if (error.offset === undefined) continue;
        ++refused;
        assert.equal(error.message, wrong.message, what);
        assert.equal(error.offset, wrong.offset, `${what}: ${error.message}`);
      }
    }
  });
  assert.ok(refused > 20);
});

test('unreadable tensors: the feed report says of each what KERNEL_FEED then does, and why', async () => {
  const seen = { true: 0, false: 0 };
  await withEach(async (file, what) => {
    const report = file.feedReport();
    for (const [i, { name }] of file.tensors.entries()) {
      const error = await thrownBy(() => file.view(name, { weightForm: forms[3] }));
      const { tensor, feedable, reason } = report[i];
      ++seen[feedable];
      assert.equal(tensor, name);
      assert.equal(feedable, error === undefined, `${what}: ${name}: ${error?.message}`);
      if (error) assert.ok(error.message.includes(reason), `${error.message}: ${reason}`);
      else assert.equal(reason, null);
    }
  });
  assert.ok(seen.true > 3 && seen.false > 20);
});

test('unreadable tensors: names and keys that read the same, not all of them UTF-8, are refused, not taken for each other', async () => {
  const encoder = new TextEncoder();
  /** Letters that stand for bytes of the same number, once everything has been written. */
  const file = (tensors, keys) => {
    const metadata = Object.fromEntries(keys.map((key) => [`${key}.key`, 1]));
    const bytes = ggufFile(
      metadata,
      tensors.map((name) => ({ name, ne: [4], ggmlType: 0, bytes: new Uint8Array(16) })),
    );
    const [x, y] = encoder.encode('XY');
    return bytes.map((byte) => (byte === x ? 0xff : byte === y ? 0xfe : byte));
  };
  for (const [bytes, message] of [
    [
      file(['X', 'Y'], []),
      /two of its tensors have names that read the same, "\ufffd", as not all of their bytes are UTF-8/,
    ],
    [file(['X', '\ufffd'], []), /two of its tensors have names that read the same/],
    [file(['aXb', 'c', 'aYb'], []), /two of its tensors .* "a\ufffdb"/],
    [file([], ['X', 'Y']), /two of its metadata keys have names that read the same/],
  ]) {
    await assert.rejects(pw.openGguf(bytes), { name: 'PackedError', code: 'MALFORMED', message });
  }
  const told = await pw.openGguf(file(['X', 'XX'], ['X', 'YY']));
  assert.deepEqual(
    told.tensors.map(({ name }) => name),
    ['\ufffd', '\ufffd\ufffd'],
  );
  await told.close();
});
