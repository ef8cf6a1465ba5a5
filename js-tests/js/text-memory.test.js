// Texts cross into the module's memory as well: where there is none for them, nothing is written.
import assert from 'node:assert/strict';
import { test } from 'node:test';

// The loader asks the first part for memory through its export `malloc`: here there is none while `gone`.
let gone = false;
let memory;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const { exports } = await instantiate(...given);
  memory ??= Object.values(exports).find((each) => each instanceof WebAssembly.Memory);
  if (!exports.malloc) return { exports };
  return { exports: { ...exports, malloc: (size) => (gone ? 0 : exports.malloc(size)) } };
};

test('memory: a text that finds none is an OUT_OF_MEMORY, and address 0 stays as it was', async () => {
  const { load } = await import('packed-weights');
  const pw = await load({ isa: 'simd128' });
  const { bytes } = pw.fixtures.decodable('Q4_0');
  const expected = pw.decode(bytes, 'Q4_0');
  const start = new Uint8Array(memory.buffer, 0, 1024).slice();
  gone = true;
  try {
    for (const call of [
      () => pw.decode(bytes, 'Q4_0'),
      () => pw.fixtures.canonical('Q4_0'),
      () => pw.disagreement(bytes, 'Q4_0', { kernelOrder: true }),
    ]) {
      assert.throws(call, {
        name: 'PackedError',
        code: 'OUT_OF_MEMORY',
        message: /^No memory for \d+ bytes of a text: /,
      });
    }
  } finally {
    gone = false;
  }
  assert.deepEqual(new Uint8Array(memory.buffer, 0, 1024).slice(), start);
  assert.deepEqual(pw.decode(bytes, 'Q4_0'), expected);
});
