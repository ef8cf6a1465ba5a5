import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { assertValidGguf, fixtures, PackedError } from 'packed-weights/testing';

const pw = await load();
const { bytes, out, inputDim } = fixtures.decodable('Q8_0');
const metadata = { 'general.architecture': 'test', 'general.quantization_version': 2 };
const model = pw.writeGguf({
  metadata,
  tensors: [{ name: 'w.weight', encoding: 'Q8_0', shape: [out, inputDim], bytes }],
});
// Tensors end on a multiple of 32 bytes.
const padding = 32 - (bytes.length % 32);

test('assertValidGguf: passes on a file that is whole', async () => {
  await assertValidGguf(model);
  await assertValidGguf(new Blob([model]), { profile: 'llama', tensorData: false });
});

test('assertValidGguf: a file that was cut names the rule, the tensor and how much is missing', async () => {
  const error = await rejectionOf(assertValidGguf(model.subarray(0, -padding - 1)));
  assert.ok(error instanceof PackedError);
  assert.equal(error.code, 'MALFORMED');
  assert.match(error.message, /^Not a valid GGUF file:\n {2}error [a-z-]+/);
  assert.match(error.message, /w\.weight/);
  assert.equal(error.report.ok, false);
  assert.ok(error.report.findings.length > 0);
});

test('assertValidGguf: an infinite scale is found in the data, and not without looking at it', async () => {
  const broken = model.slice();
  broken.set([0x00, 0x7c], broken.length - padding - 34);
  const error = await rejectionOf(assertValidGguf(broken));
  assert.equal(error.tensor, 'w.weight');
  await assertValidGguf(broken, { tensorData: false });
});

test('assertValidGguf: a file without tensors proves nothing, unless that is allowed', async () => {
  const empty = pw.writeGguf({ metadata, tensors: [] });
  const error = await rejectionOf(assertValidGguf(empty));
  assert.match(error.message, /nothing was checked: the file holds no tensor/);
  await assertValidGguf(empty, { allowEmpty: true });
});

test('assertValidGguf: bytes that are no GGUF file fail as an assertion, not as a crash', async () => {
  for (const bytes of [new Uint8Array(64), new Uint8Array(), new Uint8Array(3).fill(0x47)]) {
    const error = await rejectionOf(assertValidGguf(bytes));
    assert.equal(error.code, 'MALFORMED');
  }
});

async function rejectionOf(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}
