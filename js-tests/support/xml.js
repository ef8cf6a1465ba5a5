/** As much of XML 1.0 as tells well-formed text from the rest: elements, attributes, references, characters. */
import assert from 'node:assert/strict';

/**
 * Throws at the first thing that a parser would refuse; gives the elements in order.
 * @param {string} text
 * @returns {{ name: string, attributes: Record<string, string> }[]}
 */
export function requireWellFormed(text) {
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  assert.notEqual(body, text, 'the XML declaration is missing');
  const elements = [];
  const open = [];
  let at = 0;
  for (const { 0: tag, 1: closing, 2: name, 3: rest, 4: empty, index } of body.matchAll(
    /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    requireText(body.slice(at, index));
    at = index + tag.length;
    if (closing) {
      assert.equal(open.pop(), name, `</${name}> closes another element`);
      continue;
    }
    const attributes = {};
    for (const [, key, value] of rest.matchAll(/([\w-]+)="([^"]*)"/g)) {
      requireText(value);
      assert.ok(!(key in attributes), `${key} stands twice`);
      attributes[key] = value;
    }
    elements.push({ name, attributes });
    if (!empty) open.push(name);
  }
  requireText(body.slice(at));
  assert.deepEqual(open, [], 'elements are left open');
  return elements;
}

function requireText(text) {
  assert.doesNotMatch(text, /</, `a stray < in ${text.slice(0, 80)}`);
  assert.doesNotMatch(text, /&(?!(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i, 'a stray &');
  assert.doesNotMatch(text, /]]>/);
}
