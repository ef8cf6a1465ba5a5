import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';

const pw = await load();

test('encodings: the fields of a block follow each other without gaps and fill it', () => {
  for (const { name, bytes, blocked, fields } of Object.values(pw.encodings)) {
    if (!blocked) {
      assert.deepEqual(fields, [], name);
      continue;
    }
    let at = 0;
    for (const field of fields) {
      assert.equal(field.offset, at, `${name}.${field.name}`);
      assert.match(field.type, /^(f16|f32|u8|i8|u16|i16|u32|e8m0|ue4m3)$/);
      assert.ok(field.meaning.length > 0);
      at += field.bytes;
    }
    assert.equal(at, bytes, name);
  }
});

test('encodings: nobody can change what an encoding is', () => {
  assert.throws(() => (pw.encodings.Q4_K.fields[0].offset = 1), TypeError);
  assert.throws(() => pw.encodings.Q4_K.fields.push({}), TypeError);
});
