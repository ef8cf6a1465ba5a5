// What every bit of a block is, through the API, in the page's words and in the documentation.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { blockDocs, blockDocsText } from '../../scripts/block-docs.js';
import { byteWords, rawNumbers } from '../../web/src/worker/block-words.js';

const pw = await load();
const blocked = Object.values(pw.encodings).filter((encoding) => encoding.blocked);

test('block bits: there is one for every bit, and it stands in the field that covers its byte', () => {
  for (const { name, bytes, fields } of blocked) {
    const bits = pw.blockBits(name);
    assert.equal(bits.length, 8 * bytes, name);
    for (const field of fields) {
      for (let bit = 8 * field.offset; bit < 8 * (field.offset + field.bytes); ++bit) {
        assert.equal(bits[bit].field, field.name, `${name}, bit ${bit}`);
      }
    }
  }
  assert.deepEqual(pw.blockBits('F32'), []);
  assert.throws(() => pw.blockBits('Q9'), { code: 'UNKNOWN_ENCODING' });
});

test('block bits: a changed bit changes none but its own values', () => {
  for (const { name, elements } of blocked) {
    const bits = pw.blockBits(name);
    const block = pw.fixtures.decodable(name).bytes.slice(0, bits.length / 8);
    const before = pw.decode(block, name);
    for (const bit of [0, 9, bits.length >> 1, bits.length - 1]) {
      const { first, span, stride } = bits[bit];
      const changed = block.slice();
      changed[bit >> 3] ^= 1 << (bit & 7);
      const after = pw.decode(changed, name);
      for (let i = 0; i < elements; ++i) {
        const own = i >= first && (i - first) % stride === 0 && (i - first) / stride < span;
        if (!own) assert.ok(Object.is(after[i], before[i]), `${name}, bit ${bit}, value ${i}`);
      }
    }
  }
});

test('block bits: bytes in words', () => {
  const words = byteWords(pw.blockBits('Q4_K'));
  assert.equal(words[16], 'bits 0–3: code of value 0; bits 4–7: code of value 32');
  assert.equal(words[0], 'factor of values 0–255');
  assert.equal(words[1], 'bits 8–15 of the factor of values 0–255');
});

test('block bits: the raw numbers of a block are those that its values are made of', () => {
  const rawOf = (name) => {
    const { bytes, decoded } = pw.fixtures.decodable(name);
    const { bytes: size, elements } = pw.encodings[name];
    const block = bytes.slice(0, size);
    const raw = rawNumbers(pw.blockBits(name), block);
    const numbers = Object.fromEntries(raw.map(({ what, numbers }) => [what, numbers]));
    return {
      block: new DataView(block.buffer),
      decoded: decoded.subarray(0, elements),
      ...numbers,
    };
  };
  const half = (view, at) => pw.decode(new Uint8Array(view.buffer, at, 2), 'F16')[0];
  const q4 = rawOf('Q4_0');
  q4.codes.forEach((code, i) => assert.equal(half(q4.block, 0) * (code - 8), q4.decoded[i]));
  const k4 = rawOf('Q4_K');
  const [d, dmin] = [half(k4.block, 0), half(k4.block, 2)];
  assert.deepEqual([k4.scales.length, k4.minimums.length], [8, 8]);
  k4.codes.forEach((code, i) => {
    const [scale, minimum] = [k4.scales[i >> 5], k4.minimums[i >> 5]];
    const value = Math.fround(Math.fround(d * scale) * code) - Math.fround(dmin * minimum);
    assert.equal(Math.fround(value), k4.decoded[i]);
  });
});

test('block bits: src/encoding/README.md is what the library says; node scripts/block-docs.js writes it', async () => {
  assert.equal(await readFile(blockDocs, 'utf8'), blockDocsText(pw));
});
