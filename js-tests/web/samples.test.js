// The built-in samples: what the page puts together without the part of the package that writes files is, byte
// for byte, what that part writes, and what it says of them is what the package says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { sampleHeaders } from '../../web/sample-headers.js';
import { describeFile } from '../../web/src/worker/describe-file.js';
import { sampleBytes, samples } from '../../web/src/worker/sample-weights.js';

const pw = await load();
const headers = await sampleHeaders();

for (const [id, tensors] of Object.entries(samples)) {
  test(`samples: ${id} is a valid file, and its description is the package's own`, async () => {
    const bytes = sampleBytes(headers[id], tensors());
    const file = await pw.openGguf(bytes);
    const metadata = Object.fromEntries(file.metadata);
    assert.deepEqual(bytes, pw.writeGguf({ metadata, tensors: tensors() }));
    const described = JSON.parse(JSON.stringify(describeFile(pw, file)));
    assert.deepEqual(JSON.parse(JSON.stringify(headers[id].description)), described);
    const { findings } = await pw.validate(bytes);
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'info'),
      [],
    );
  });
}

test('samples: a scale is where the package says that it is', () => {
  const { tensors } = headers.mixed.description;
  assert.ok(tensors.length >= 5);
  for (const { encoding, scaleAt } of tensors) {
    const d = pw.encodings[encoding].fields.find(({ name }) => name === 'd');
    assert.equal(scaleAt, encoding === 'F32' ? 2 : d.offset, encoding);
  }
});
