// A byte order mark at the start of a text is a character of it: tokens and names consist of nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';

const pw = await load();
const mark = '\ufeff';
// Short and long: engines decode them in different ways.
const texts = [mark, mark + mark, `${mark}x`, `${mark}${'long '.repeat(10)}`, `x${mark}`];
const nested = texts.map((text) => [text.length, text]);

const what = {
  metadata: Object.fromEntries([
    ...texts.map((text, i) => [`text.${i}`, text]),
    ...nested.map(([length, text]) => [`${text}key`, length]),
    ['texts', texts],
  ]),
  tensors: texts.map((name) => ({
    name: name.slice(0, 20),
    encoding: 'F32',
    ne: [4],
    bytes: new Uint8Array(16),
  })),
};
const bytes = pw.writeGguf(what);

test('byte order marks: are part of the text wherever a file holds one', async () => {
  const encoded = Buffer.from(bytes);
  for (const text of texts) assert.ok(encoded.includes(Buffer.from(text)));
  const seen = [];
  const file = await pw.openGguf(bytes, { onMetadata: (metadata) => seen.push(metadata) });
  for (const metadata of [file.metadata, ...seen]) {
    assert.deepEqual([...metadata.keys()], Object.keys(what.metadata));
    texts.forEach((text, i) => assert.equal(metadata.get(`text.${i}`), text));
    const array = metadata.get('texts');
    assert.deepEqual([...array], texts);
    assert.deepEqual(array.toArray(), texts);
    assert.deepEqual(JSON.parse(JSON.stringify(array)), texts);
    texts.forEach((text, i) => assert.equal(array.at(i), text));
  }
  assert.deepEqual([...file.storedMetadata().keys()], Object.keys(what.metadata));
  for (const [i, { name }] of what.tensors.entries()) {
    assert.equal(file.tensors[i].name, name);
    assert.equal((await file.bytes(name)).length, 16);
  }
});

test('byte order marks: what is read is written again as the same bytes', async () => {
  const file = await pw.openGguf(bytes);
  for (const metadata of [file.metadata, file.storedMetadata()])
    assert.deepEqual(pw.writeGguf({ ...what, metadata }), bytes);
});
