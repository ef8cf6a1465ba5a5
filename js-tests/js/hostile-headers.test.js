// Whatever is cut off a small file, and whatever byte of its header is damaged: opening it ends in a file or a
// PackedError, validation in a report, and neither takes memory or time that the file has not earned.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load, PackedError } from 'packed-weights';
import { smallModel } from '../support/gguf-files.js';

const pw = await load();
const worst = { milliseconds: 0, bytes: 0 };

const kinds = pw.writeGguf({
  metadata: {
    'general.architecture': 'llama',
    'llama.block_count': 1,
    'tokenizer.ggml.tokens': ['<s>', 'a', 'ö'],
    'tokenizer.ggml.scores': { type: 'f32', value: [0, -1, -2] },
    'test.wide': { type: 'u64', value: 2n ** 60n },
    'test.yes': true,
    'test.half': { type: 'f64', value: 0.5 },
  },
  tensors: [
    { name: 'blk.0.ffn_up.weight', encoding: 'Q4_0', ne: [64, 3], bytes: blocks(6, 18) },
    { name: 'b', encoding: 'F32', ne: [3], bytes: new Float32Array([1, 2, 3]) },
  ],
});

function blocks(count, size) {
  const bytes = new Uint8Array(count * size).map((_, i) => i * 7);
  for (let i = 0; i < count; ++i) bytes.set([0, 0x24], i * size);
  return bytes;
}

/** Opens and validates; gives the report. */
async function survive(bytes, profile) {
  const before = process.memoryUsage.rss();
  const start = performance.now();
  try {
    const file = await pw.openGguf(bytes);
    for (const tensor of file.tensors) await file.bytes(tensor.name).catch(requirePacked);
    await file.close();
  } catch (error) {
    requirePacked(error);
  }
  const report = await pw.validate(bytes, { profile });
  worst.milliseconds = Math.max(worst.milliseconds, performance.now() - start);
  worst.bytes = Math.max(worst.bytes, process.memoryUsage.rss() - before);
  for (const { message, count } of report.findings) assert.ok(message !== '' && count > 0);
  return report;
}

function requirePacked(error) {
  assert.ok(error instanceof PackedError, String(error.stack));
  assert.notEqual(error.message, '');
}

for (const [name, good] of [
  ['of four tensors', smallModel()],
  ['of every kind of metadata', kinds],
]) {
  test(`hostile headers: no prefix of a file ${name} is called good`, async () => {
    assert.ok((await survive(good, 'llama')).ok);
    const file = await pw.openGguf(good);
    const ends = file.tensors.map(({ offset, byteLength }) => offset + byteLength);
    const complete = Math.max(...ends);
    // Every cut in the header, and around every place where something ends behind it.
    const cuts = new Set(Array.from({ length: file.dataStart + 1 }, (_, i) => i));
    for (const end of ends) for (let i = -33; i < 33; ++i) cuts.add(end + i);
    for (const cut of cuts) {
      if (cut >= good.length) continue;
      const { ok } = await survive(good.subarray(0, cut), cut % 2 ? 'spec' : 'llama');
      assert.equal(ok, cut >= complete, `cut to ${cut} of ${good.length}`);
    }
  });

  test(`hostile headers: every byte of the header of a file ${name}, damaged in every bit`, async () => {
    const { dataStart } = await pw.openGguf(good);
    for (let at = 0; at < dataStart; ++at) {
      for (const change of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
        const damaged = good.slice();
        damaged[at] ^= change;
        await survive(damaged, change % 2 ? 'spec' : 'llama');
      }
    }
  });
}

test('hostile headers: counts and lengths at their limits are refused before memory is taken', async () => {
  const view = (bytes) => new DataView(bytes.buffer);
  const places = [8, 16, 24];
  for (const at of places) {
    for (const value of [2n ** 64n - 1n, 2n ** 63n, 2n ** 62n, 2n ** 40n, 2n ** 32n, 2n ** 31n]) {
      const bytes = kinds.slice();
      view(bytes).setBigUint64(at, value, true);
      const { ok } = await survive(bytes, 'spec');
      assert.ok(!ok);
    }
  }
});

after(() => {
  assert.ok(worst.bytes < 64 * 2 ** 20, `${worst.bytes} bytes for one file`);
  assert.ok(worst.milliseconds < 2000, `${worst.milliseconds} ms for one file`);
});
