// A large piece of a file comes in parts: all of its bytes, whole units, and no more once nobody wants them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { partsOf } from '../../web/src/worker/parts.js';

const bytes = new Uint8Array(3_000_001).map((_, i) => i * 7 + (i >> 8));
const [offset, length] = [1234, 2_900_010];
const wanted = bytes.subarray(offset, offset + length);

const file = () => new File([bytes], 'model.gguf');
/** In a browser whose files are no streams of bytes. */
const plainFile = () => Object.assign(file(), { slice: () => ({ stream: () => ({}) }) });
const read = async (at, size) => bytes.slice(at, at + size);
const never = new AbortController().signal;

for (const [where, from] of Object.entries({
  file: file(),
  'plain file': plainFile(),
  address: new URL('http://x/y'),
})) {
  for (const unit of [16, 272, 1680]) {
    test(`${where}, units of ${unit}: whole units, together all bytes`, async () => {
      const joined = new Uint8Array(length);
      let at = 0;
      for await (const part of partsOf({ from, read, offset, length }, unit, never)) {
        assert.ok(part.length > 0);
        joined.set(part, at);
        at += part.length;
        assert.ok(at === length || part.length % unit === 0);
      }
      assert.equal(at, length);
      assert.deepEqual(joined, wanted);
    });
  }

  test(`${where}: no part after it was given up`, async () => {
    const control = new AbortController();
    const parts = partsOf({ from, read, offset, length: length }, 16, control.signal);
    assert.ok((await parts.next()).value.length > 0);
    control.abort();
    await assert.rejects(parts.next(), { name: 'AbortError' });
    const late = partsOf({ from, read, offset, length }, 16, control.signal);
    await assert.rejects(late.next(), { name: 'AbortError' });
  });
}

test('a file that has become shorter: where, and what to do', async () => {
  const parts = partsOf({ from: file(), read, offset, length: bytes.length }, 16, never);
  const all = async () => {
    for await (const part of parts) assert.ok(part.length > 0);
  };
  await assert.rejects(all(), (error) => {
    assert.equal(error.code, 'IO_FAILED');
    assert.equal(error.offset, bytes.length);
    assert.match(
      error.message,
      /model\.gguf cannot be read any more at byte 3000001 .* open the file again/,
    );
    return true;
  });
});
