import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { compareDefinitions } from '../support/definitions.js';
import { manifest } from '../support/golden.js';

const pw = await load();

test('definitions: what no golden file holds decodes to the bits of its definition, from both orders', () => {
  const { wrong, checked } = compareDefinitions(pw);
  assert.deepEqual(wrong, []);
  const all = [...manifest.encodings.map(({ name }) => name), ...checked];
  assert.deepEqual(all.sort(), Object.keys(pw.encodings).sort(), 'every encoding, once');
});
