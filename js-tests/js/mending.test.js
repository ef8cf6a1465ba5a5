// What a diagnosis tells the author of a converter to do is done here, to see whether it mends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { mistakes, relaid } from '../support/damage.js';
import { mended, turnedRound } from '../support/mending.js';
import { PseudoRandom } from '../support/pseudo-random.js';

const pw = await load();
const random = new PseudoRandom(77);

function weightOf(encoding, out, blocksPerRow) {
  const { bytes: blockBytes, elements } = pw.encodings[encoding];
  const bytes = random.bytes(out * blocksPerRow * blockBytes);
  return { encoding, blockBytes, elements, out, blocksPerRow, bytes };
}

const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const twice = (right, at) => joined(right.subarray(0, at), right.subarray(at >> 1));
const lines = (w, right, kernelOrder) => {
  const length = (kernelOrder ? w.out : w.blocksPerRow) * w.blockBytes;
  return Array.from({ length: right.length / length }, (_, i) =>
    right.subarray(i * length, (i + 1) * length),
  );
};
const rowsTurned = (w, right, kernelOrder, turn) => {
  const to = new Uint8Array(right.length);
  const place = (o, b) => (kernelOrder ? b * w.out + o : o * w.blocksPerRow + b) * w.blockBytes;
  for (let o = 0; o < w.out; ++o) {
    for (let b = 0; b < w.blocksPerRow; ++b) {
      const [fromO, fromB] = turn(o, b);
      const from = place(fromO, fromB);
      to.set(right.subarray(from, from + w.blockBytes), place(o, b));
    }
  }
  return to;
};

/** Mistakes that leave the whole weight in the bytes, in either order. */
const mendable = [
  ['a header', 'shifted', (w, right) => joined(new Uint8Array(20).fill(0x47), right)],
  [
    'a header and more behind',
    'shifted',
    (w, right) => joined(random.bytes(99), right, random.bytes(7)),
  ],
  ['a header longer than the weight', 'shifted', (w, right) => joined(random.bytes(9999), right)],
  ['a part twice', 'shifted', (w, right) => twice(right, 5 * w.blockBytes)],
  ['an odd part twice', 'shifted', (w, right) => twice(right, 5 * w.blockBytes + 29)],
  [
    'bytes slipped in',
    'shifted',
    (w, right) =>
      joined(
        right.subarray(0, 5 * w.blockBytes + 3),
        random.bytes(9),
        right.subarray(5 * w.blockBytes + 3),
      ),
  ],
  ['bytes left over', 'foreign', (w, right) => joined(right, random.bytes(5))],
  ['as much again left over', 'foreign', (w, right) => joined(right, random.bytes(9999))],
  ['rotated late', 'shifted', (w, right) => joined(right.subarray(-5), right.subarray(0, -5))],
  ['rotated early', 'shifted', (w, right) => joined(right.subarray(5), right.subarray(0, 5))],
  [
    'rotated by two rows',
    'shifted',
    (w, right, kernel) => rowsTurned(w, right, kernel, (o, b) => [(o + 2) % w.out, b]),
  ],
  [
    'each row rotated',
    'shifted',
    (w, right, kernel) => rowsTurned(w, right, kernel, (o, b) => [o, (b + 1) % w.blocksPerRow]),
  ],
  [
    'lines padded',
    'padded-stride',
    (w, right, kernel) =>
      joined(...lines(w, right, kernel).flatMap((line) => [line, new Uint8Array(3)])),
  ],
  [
    'blocks padded',
    'padded-stride',
    (w, right) => {
      const blocks = lines({ ...w, out: 1 }, right, true);
      return joined(...blocks.flatMap((block) => [block, new Uint8Array(2)]));
    },
  ],
];

for (const encoding of ['Q4_0', 'Q8_0', 'Q4_K', 'Q6_K', 'MXFP4', 'TQ1_0']) {
  test(`diagnose: what it says of ${encoding} mends what it was asked about`, () => {
    for (const [out, blocksPerRow] of [
      [5, 3],
      [7, 4],
      [12, 5],
    ]) {
      const w = weightOf(encoding, out, blocksPerRow);
      for (const kernelOrder of [true, false]) {
        const right = kernelOrder ? relaid(w, w.bytes) : w.bytes;
        for (const [name, kind, make] of mendable) {
          mends(w, make(w, right, kernelOrder), { name, kind, kernelOrder });
        }
        const other = kernelOrder ? w.bytes : relaid(w, w.bytes);
        mends(w, other, { name: 'the other order', kind: 'other-order', kernelOrder });
        const rest = random.bytes(40);
        for (const [name, bytes] of Object.entries({
          'a header and the other order': joined(rest, other),
          'padding and the other order': joined(other, rest),
        })) {
          mends(w, bytes, { name, kind: 'other-order', kernelOrder });
        }
        for (const size of [2, 4, 8]) {
          const name = `words of ${size} bytes`;
          mends(w, turnedRound(right, size), { name, kind: 'scale-bytes', kernelOrder });
        }
      }
      const twice = mistakes.find(({ kind }) => kind === 'prepacked-twice').make(w);
      mends(w, twice, { name: 'twice', kind: 'prepacked-twice', kernelOrder: true });
    }
  });
}

function mends(w, bytes, { name, kind, kernelOrder }) {
  const { encoding, out, blocksPerRow, bytes: reference } = w;
  const options = { kernelOrder, out, blocksPerRow, reference };
  const verdict = pw.diagnose(bytes, encoding, options);
  const label = `${encoding} ${out} x ${blocksPerRow}, ${name}: ${verdict.message}. ${verdict.fix}`;
  assert.equal(verdict.kind, kind, label);
  const good = mended(pw, bytes, verdict.fix, { ...w, kernelOrder });
  assert.ok(good, `nothing to do: ${label}`);
  assert.equal(pw.disagreement(good, encoding, options), null, label);
}

test('diagnose: where the end is missing besides, what it says leaves only that', () => {
  const w = weightOf('Q4_0', 7, 4);
  const options = { out: 7, blocksPerRow: 4, reference: w.bytes };
  const bytes = joined(random.bytes(18), w.bytes).subarray(0, w.bytes.length);
  const verdict = pw.diagnose(bytes, 'Q4_0', options);
  assert.equal(verdict.kind, 'shifted');
  assert.match(verdict.fix, /the last 18 bytes of the weight are missing then/);
  const rest = mended(pw, bytes, verdict.fix, { ...w, kernelOrder: false });
  assert.equal(pw.diagnose(rest, 'Q4_0', options).kind, 'truncated');
});

test('diagnose: rows that were laid out in groups are put back group by group', () => {
  const w = weightOf('Q8_0', 24, 5);
  for (const rows of [2, 3, 4, 6, 8, 12]) {
    const size = (w.bytes.length / 24) * rows;
    const tiles = (bytes, each) =>
      joined(
        ...Array.from({ length: 24 / rows }, (_, g) =>
          each(bytes.subarray(g * size, g * size + size)),
        ),
      );
    const bytes = tiles(w.bytes, (tile) => relaid({ ...w, out: rows }, tile));
    const options = { out: 24, blocksPerRow: 5, reference: w.bytes };
    for (const kernelOrder of [false, true]) {
      const { kind, variant, fix } = pw.diagnose(bytes, 'Q8_0', { ...options, kernelOrder });
      assert.equal(kind, 'interleaved-rows');
      assert.equal(variant, `whole blocks of ${rows} rows in turn`);
      const [, every, call] = /of every (\d+) bytes `tile`, (pw\..*\.bytes) one behind/.exec(fix);
      assert.equal(Number(every), size);
      const good = tiles(bytes, (tile) => new Function('pw', 'tile', `return ${call}`)(pw, tile));
      assert.equal(pw.disagreement(good, 'Q8_0', options), null);
    }
  }
});

test('diagnose: of two mistakes each has its step, and one done leaves the other', () => {
  const w = weightOf('Q4_0', 12, 5);
  const options = { kernelOrder: true, out: 12, blocksPerRow: 5, reference: w.bytes };
  const bytes = w.bytes.map((byte, i) => (i % 18 < 2 ? byte : (byte >> 4) | (byte << 4)));
  const both = pw.diagnose(bytes, 'Q4_0', options);
  assert.equal(both.kind, 'other-order');
  assert.match(both.message, /and besides the codes inside each block are packed in another/);
  const [, call] = /^first inside of each block: .*; then (pw\..*)$/.exec(both.fix);
  const rest = new Function('pw', 'bytes', `return ${call}`)(pw, bytes).bytes;
  assert.equal(pw.diagnose(rest, 'Q4_0', options).kind, 'nibble-order');
});

test('diagnose: no call is named for bytes that it would refuse', () => {
  for (const [out, blocksPerRow] of [
    [7, 4],
    [13, 11],
  ]) {
    const w = weightOf('Q5_1', out, blocksPerRow);
    const options = { kernelOrder: true, out, blocksPerRow, reference: w.bytes };
    for (const missing of [1, 24, 100]) {
      const { kind, fix } = pw.diagnose(w.bytes.subarray(0, -missing), 'Q5_1', options);
      assert.equal(kind, 'other-order');
      assert.match(fix, /^download or write the last \d+ bytes? first, then pw\.toKernelOrder/);
      assert.equal(mended(pw, w.bytes, fix, { ...w, kernelOrder: true }), null);
      const call = fix.slice(fix.indexOf('pw.'));
      const good = new Function('pw', 'bytes', `return ${call}`)(pw, w.bytes).bytes;
      assert.equal(pw.disagreement(good, 'Q5_1', options), null);
    }
  }
});

test('diagnose: the call for a swapped label feeds the weight of a file as it should be', async () => {
  const w = weightOf('Q4_0', 64, 3);
  const { encoding, out, blocksPerRow, bytes: reference } = w;
  const options = { kernelOrder: true, out, blocksPerRow, reference };
  const swapped = relaid({ ...w, out: blocksPerRow, blocksPerRow: out }, reference);
  const { kind, fix } = pw.diagnose(swapped, encoding, options);
  assert.equal(kind, 'swapped-label');
  const name = 'blk.0.ffn_down.weight';
  const tensors = [{ name, encoding, shape: [out, blocksPerRow * 32], bytes: reference }];
  const file = await pw.openGguf(pw.writeGguf({ tensors }));
  const call = /file\.view\(name, \{[^;]*\}\)(?=;)/.exec(fix)[0];
  const view = await new Function('file', 'name', `return ${call}`)(file, name);
  assert.equal(pw.disagreement(view, encoding, { reference }), null);
  await file.close();
});
