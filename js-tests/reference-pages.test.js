import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pages } from '../scripts/reference.js';

for (const [path, text] of await pages()) {
  test(`documentation: what is generated of ${path} is as the types and lists are now`, () => {
    const written = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    assert.ok(written === text, `${path} is out of date: run "node scripts/reference.js"`);
  });
}

test('documentation: the reference names what users call', () => {
  const page = readFileSync(new URL('../bindings/js/API.md', import.meta.url), 'utf8');
  const names = [
    'load',
    'openGguf',
    'prepackForMatmul',
    'disagreement',
    'assertAgrees',
    'runBench',
  ];
  for (const name of names) {
    assert.match(page, new RegExp(`\\b${name}[(<]`), name);
  }
  assert.doesNotMatch(page, /^@\w+/m);
  assert.doesNotMatch(page, /import\(/);
});
