import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from '../../bindings/cli/wildcard.js';
import { PseudoRandom } from '../support/pseudo-random.js';

/** What a pattern says, word for word. */
function asSaid([first, ...rest], text) {
  if (first === undefined) return text.length === 0;
  if (first === '*') {
    return text.some((_, i) => asSaid(rest, text.slice(i))) || asSaid(rest, []);
  }
  return text.length > 0 && (first === '?' || first === text[0]) && asSaid(rest, text.slice(1));
}

test('--only: every short pattern matches just the names that it says', () => {
  const all = (letters, most) => {
    const words = [''];
    for (let from = 0, length = 0; length < most; ++length) {
      const end = words.length;
      for (; from < end; ++from) for (const letter of letters) words.push(words[from] + letter);
    }
    return words;
  };
  const names = all(['a', '\u{1F40B}'], 4);
  for (const pattern of all(['a', '\u{1F40B}', '*', '?'], 4)) {
    for (const name of names) {
      assert.equal(matches(pattern, name), asSaid([...pattern], [...name]), `${pattern} ${name}`);
    }
  }
});

test('--only: longer patterns too, of characters that mean something elsewhere', () => {
  const random = new PseudoRandom(1);
  const from = (letters, length) =>
    Array.from({ length }, () => letters[random.below(letters.length)]).join('');
  for (let i = 0; i < 3000; ++i) {
    const pattern = from(['.', '\\', '[', '\n', '*', '*', '?'], random.below(9));
    const name = from(['.', '\\', '[', '\n', '^'], random.below(9));
    assert.equal(matches(pattern, name), asSaid([...pattern], [...name]), `${pattern} ${name}`);
  }
});

test('--only: patterns that would be tried in ever so many ways are not', () => {
  // In ways that double with each star these would outlive whoever waits.
  const name = 'a'.repeat(2000);
  for (const pattern of [`${'*a'.repeat(500)}*b`, `${'*?'.repeat(500)}*b`, `${'*'.repeat(2000)}b`])
    assert.equal(matches(pattern, name), false);
  assert.equal(matches('*a'.repeat(500), name), true);
});
