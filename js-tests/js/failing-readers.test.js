// What a reader of the caller's own throws comes with what was read, where and from what.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, PackedError } from 'packed-weights';
import { smallModel } from '../support/gguf-files.js';

const pw = await load();
const bytes = smallModel();

test('sources: what a reader throws is told with its place; ours and what signals throw stay', async () => {
  const sound = { size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) };
  const throwing = (error) => [
    () => {
      throw error;
    },
    () => Promise.reject(error),
  ];
  const { reason } = AbortSignal.abort();
  const lost = [new Error('the disk is gone'), 'the disk is gone', undefined];
  for (const error of [...lost, reason, new PackedError('TRUNCATED', 'x')])
    for (const fail of throwing(error))
      for (const call of ['openGguf', 'validate']) {
        const source = { ...sound, name: 'm.gguf', read: fail };
        const thrown = await pw[call](source).catch((caught) => caught);
        if (!lost.includes(error)) {
          assert.equal(thrown, error);
          continue;
        }
        assert.deepEqual([thrown.code, thrown.cause, thrown.offset], ['IO_FAILED', error, 0]);
        assert.match(
          thrown.message,
          /^m\.gguf: its read failed for \d+ bytes at 0 .*open it again$/,
        );
      }
  // The reason of the signal that was given, whatever the reader says when it is aborted.
  const own = new AbortController();
  const why = new Error('not any more');
  const ending = { ...sound, read: () => (own.abort(why), Promise.reject(lost[0])) };
  await assert.rejects(pw.openGguf(ending, { signal: own.signal }), (error) => error === why);
});
