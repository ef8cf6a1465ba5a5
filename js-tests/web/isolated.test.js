import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolated } from '../../web/src/views/isolated.js';

const ALEF = '\u05d0';
const OVERRIDE = '\u202e';

/** What is said, names in brackets. */
function said(text) {
  const parts = [isolated(text)].flat();
  return parts.map((part) => (typeof part === 'string' ? part : `[${part.values}]`)).join('');
}

test('isolated: names that run from right to left keep to themselves, the marks of the sentence stay outside', () => {
  const cases = [
    ['', ''],
    ['plain.weight: read', 'plain.weight: read'],
    [`${ALEF}.weight: read`, `[${ALEF}.weight]: read`],
    [`File "${ALEF}b.gguf", version 3.`, `File "[${ALEF}b.gguf]", version 3.`],
    [`(${ALEF} ${ALEF}${ALEF}) and ${ALEF}`, `([${ALEF} ${ALEF}${ALEF}]) and [${ALEF}]`],
    [`${ALEF}, ${ALEF}`, `[${ALEF}], [${ALEF}]`],
    [`${ALEF} "${ALEF}"`, `[${ALEF}] "[${ALEF}]"`],
    [`a${OVERRIDE}weight cannot  be read`, `[a${OVERRIDE}weight] cannot  be read`],
    [`two  ${ALEF}\n${ALEF}  lines`, `two  [${ALEF}\n${ALEF}]  lines`],
  ];
  for (const [text, wanted] of cases) assert.equal(said(text), wanted);
});

test('isolated: nothing of a text is lost, however long its words and rows of marks are', () => {
  const long = 65_535;
  for (const unit of ['a', ':', '"', `${ALEF}:`, `${ALEF} `, '( ']) {
    for (const text of [unit.repeat(long), ALEF + unit.repeat(long), unit.repeat(long) + ALEF]) {
      assert.equal(said(text).replace(/[[\]]/g, ''), text);
    }
  }
});
