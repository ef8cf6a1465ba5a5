/**
 * Byte semantics are public API. Converters and engines compare their bytes with these fixtures and keep prepacked
 * weights on disk, so what byte-semantics.json pins changes only in a release that says so first: see "Releases" in
 * CONTRIBUTING.md. A new encoding adds its own line; a line that is there is not edited to make this test pass.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'packed-weights';

const pw = await load();
const pinned = JSON.parse(readFileSync(new URL('byte-semantics.json', import.meta.url), 'utf8'));
const blocked = Object.values(pw.encodings).filter((encoding) => encoding.blocked);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = (floats) => new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);

/** What is pinned of one encoding; also how its line is made. */
function digests(name) {
  const { bytes, out, inputDim, decoded, x, y } = pw.fixtures.decodable(name);
  const scope = pw.scope();
  const view = pw.view(pw.pack(bytes, { encoding: name, out, inputDim, order: 'ROW_MAJOR' }), {
    scope,
  });
  const prepacked = pw.prepackForMatmul(view, { scope }).bytes();
  scope.close();
  return {
    canonical: sha256(pw.fixtures.canonical(name)),
    kernelOrder: sha256(pw.fixtures.kernelOrder(name)),
    decodable: sha256(bytes),
    decoded: sha256(bytesOf(decoded)),
    x: sha256(bytesOf(x)),
    y: sha256(bytesOf(y)),
    prepacked: sha256(prepacked),
  };
}

for (const { name } of blocked) {
  test(`byte semantics: ${name}'s fixtures in both orders and its prepacked weight are what they were`, () => {
    const now = digests(name);
    assert.ok(pinned[name], `${name} is new: add its line, ${JSON.stringify({ [name]: now })}`);
    assert.deepEqual(
      now,
      pinned[name],
      'These bytes are public API: read "Releases" in CONTRIBUTING.md',
    );
  });
}

test('byte semantics: no encoding that was pinned is gone', () => {
  const names = blocked.map(({ name }) => name).sort();
  assert.deepEqual(Object.keys(pinned).sort(), names);
});
