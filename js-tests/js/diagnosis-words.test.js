// What a diagnosis says besides its kind: where the author of a converter should look.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { mistakes, valueMistakes } from '../support/damage.js';
import { PseudoRandom } from '../support/pseudo-random.js';

const pw = await load();
const random = new PseudoRandom(41);
const values = random.floats(8 * 96).map((value, i) => value + i / 4096);
const stored = (encoding) => pw.quantize(values, encoding, { inputDim: 96 }).bytes;
const gridOf = (encoding) => ({
  out: 8,
  blocksPerRow: 96 / pw.encodings[encoding].elements,
  reference: stored(encoding),
});

/** What is said of bytes where `encoding` is expected. */
const said = (bytes, encoding) => pw.diagnose(bytes, encoding, gridOf(encoding));

test('diagnose: bytes of another encoding are read in it, whatever their size', () => {
  for (const [written, expected] of [
    ['BF16', 'F16'],
    ['F16', 'BF16'],
    ['IQ4_NL', 'Q4_0'],
    ['Q4_0', 'IQ4_NL'],
    ['Q4_1', 'Q4_0'],
    ['Q4_0', 'Q4_1'],
    ['Q8_0', 'Q4_0'],
    ['F16', 'F32'],
    ['F32', 'F16'],
    ['F64', 'F32'],
    ['Q8_0', 'F32'],
    ['F16', 'Q8_0'],
  ]) {
    const { kind, message, fix } = said(stored(written), expected);
    assert.equal(kind, 'foreign', `${written} for ${expected}: ${message}`);
    assert.ok(message.includes(`read as ${written} they are nearly the reference's`), message);
    assert.ok(fix.startsWith(`write them as ${expected}, or state ${written} as the type`), fix);
  }
});

test('diagnose: bytes of another encoding are read in it in kernel order too', () => {
  const q4 = pw.pack(stored('Q4_0'), {
    encoding: 'Q4_0',
    out: 8,
    inputDim: 96,
    order: 'ROW_MAJOR',
  });
  const bytes = pw.toKernelOrder(q4).bytes;
  const options = { kernelOrder: true, ...gridOf('Q4_1') };
  assert.match(pw.diagnose(bytes, 'Q4_1', options).message, /read as Q4_0 they are nearly/);
});

test('diagnose: bytes of another size are held against the sizes of the other encodings', () => {
  for (const [size, expected] of [
    ['Q4_1', 'Q4_0'],
    ['Q4_0', 'Q4_1'],
    ['F16', 'F32'],
  ]) {
    const bytes = random.bytes(stored(size).length);
    const { kind, message } = said(bytes, expected);
    assert.ok(['foreign', 'undetermined'].includes(kind), message);
    assert.match(message, new RegExp(`as many bytes as .*\\b${size}\\b.* takes? for this weight`));
  }
});

test('diagnose: a weight that was transposed and then quantized is called so', () => {
  const [out, inputDim] = [96, 64];
  const floats = random.floats(out * inputDim);
  const turned = floats.map((_, i) => floats[(i % out) * inputDim + Math.floor(i / out)]);
  for (const encoding of ['Q4_0', 'Q8_0', 'MXFP4']) {
    const reference = pw.quantize(floats, encoding, { inputDim }).bytes;
    const { bytes } = pw.quantize(turned, encoding, { inputDim: out });
    const options = { out, blocksPerRow: 2, reference };
    const { kind, message, fix } = pw.diagnose(bytes, encoding, options);
    assert.equal(kind, 'foreign', message);
    assert.match(message, /with the axes exchanged: transposed and then quantized/);
    assert.match(fix, /quantize the values as they are/);
  }
});

/** Values of a bell curve, and the same nearly: what two quantizers make other scales and other codes of. */
function twoOf(count) {
  const bell = () => random.floats(8).reduce((sum, value) => sum + value, 0);
  const one = Float32Array.from({ length: count }, bell);
  return [one, one.map((value) => value * (1 + bell() / 80) + bell() / 200)];
}

const byValues = ['other-order', 'prepacked-twice', 'swapped-label', 'row-permutation'].concat([
  'nibble-order',
  'scale-bytes',
  'constant-offset',
]);

test('diagnose: mistakes of a converter that quantizes in another way are named by values', () => {
  const named = new Set();
  for (const encoding of ['Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'Q4_K', 'Q6_K']) {
    const { bytes: blockBytes, elements } = pw.encodings[encoding];
    const [out, blocksPerRow] = [64, 3];
    const [reference, own] = twoOf(out * blocksPerRow * elements).map(
      (floats) => pw.quantize(floats, encoding, { inputDim: blocksPerRow * elements }).bytes,
    );
    const w = { encoding, blockBytes, elements, out, blocksPerRow, bytes: own };
    const options = { kernelOrder: true, out, blocksPerRow, reference };
    for (const { name, kind, make } of mistakes) {
      const bytes = make(w);
      if (bytes === null) continue;
      const verdict = pw.diagnose(bytes, encoding, options);
      const label = `${encoding}, ${name}: ${verdict.kind} ${verdict.message}`;
      if (!byValues.includes(kind)) {
        assert.ok(['foreign', 'undetermined'].includes(verdict.kind), label);
        continue;
      }
      assert.equal(verdict.kind, kind, label);
      assert.match(verdict.message, /, and quantized in another way besides: 0 blocks right/);
      assert.match(verdict.message, /192 of 192 blocks looked at are nearly the reference's/);
      assert.equal(verdict.explained, 192);
      assert.ok(verdict.fix.length > 0);
      named.add(kind);
    }
  }
  assert.deepEqual([...named].sort(), byValues.sort());
});

test('diagnose: what a mistake of another quantizer leaves is mended by the same call', () => {
  const [reference, own] = twoOf(64 * 96).map(
    (floats) => pw.quantize(floats, 'Q4_0', { inputDim: 96 }).bytes,
  );
  const options = { kernelOrder: true, out: 64, blocksPerRow: 3, reference };
  const { fix } = pw.diagnose(own, 'Q4_0', options);
  const mended = new Function('pw', 'bytes', `return ${fix}`)(pw, own).bytes;
  const { kind, message } = pw.diagnose(mended, 'Q4_0', options);
  assert.equal(kind, 'undetermined');
  assert.match(message, /nearly the reference's values in their places/);
});

test('diagnose: where another quantizer leaves the same by several mistakes, they are candidates', () => {
  for (const [out, blocksPerRow, name, kinds] of [
    [8, 8, 'relayout forgotten', ['other-order', 'prepacked-twice']],
    [64, 1, 'rows half-split', ['swapped-label', 'row-permutation']],
  ]) {
    const [reference, own] = twoOf(out * blocksPerRow * 32).map(
      (floats) => pw.quantize(floats, 'Q4_0', { inputDim: blocksPerRow * 32 }).bytes,
    );
    const w = { encoding: 'Q4_0', blockBytes: 18, elements: 32, out, blocksPerRow, bytes: own };
    const bytes = mistakes.find((mistake) => mistake.name === name).make(w);
    const options = { kernelOrder: true, out, blocksPerRow, reference };
    const verdict = pw.diagnose(bytes, 'Q4_0', options);
    assert.equal(verdict.kind, 'undetermined', verdict.message);
    assert.deepEqual(verdict.candidates, kinds);
  }
});

test('diagnose: rows that have a profile or a mean in common are not near wherever they stand', () => {
  // Rows of one profile: any row is near any other. A mean: any block is near any other, until it is taken off.
  const inputDim = 96;
  const [floats] = twoOf(64 * inputDim);
  const profile = floats.slice(0, inputDim);
  const alike = floats.map((value, i) => profile[i % inputDim] + value / 16);
  const raised = floats.map((value) => value + 400);
  const turned = (values) =>
    values.map((_, i) => values[(63 - Math.floor(i / inputDim)) * inputDim + (i % inputDim)]);
  const said = (values, shift) => {
    const stored = (v, encoding) => pw.quantize(v, encoding, { inputDim }).bytes;
    const bytes = stored(
      turned(values).map((value) => value * shift),
      'Q8_0',
    );
    return pw.diagnose(bytes, 'Q8_0', {
      out: 64,
      blocksPerRow: 3,
      reference: stored(values, 'Q8_0'),
    });
  };
  assert.notEqual(said(alike, 1.0003).kind, 'row-permutation');
  assert.doesNotMatch(said(raised, 1.00003).message, /values in their places/);
});

test('diagnose: plain values, rounded and moved, are named by what they were moved by', () => {
  const [out, inputDim] = [12, 64];
  const [floats] = twoOf(out * inputDim);
  const reference = new Uint8Array(floats.buffer);
  const rounded = pw.decode(pw.quantize(floats, 'BF16', { inputDim }).bytes, 'BF16');
  for (const { name, kind, make } of valueMistakes) {
    if (!['other-order', 'row-permutation', 'scale-bytes'].includes(kind)) continue;
    const bytes = make({ out, inputDim, values: rounded });
    const verdict = pw.diagnose(bytes, 'F32', { out, blocksPerRow: inputDim, reference });
    assert.equal(verdict.kind, kind, `${name}: ${verdict.message}`);
    assert.match(verdict.message, /rounded or computed in another way besides/);
    assert.equal(verdict.explained, out * inputDim);
  }
});

test('diagnose: other bytes for the same values are said to be that', () => {
  const reference = stored('Q4_0').slice();
  reference.set([0, 0]);
  const bytes = reference.slice();
  bytes[7] ^= 0x35; // a code of the first block, whose scale is 0
  const options = { ...gridOf('Q4_0'), reference };
  const { kind, message } = pw.diagnose(bytes, 'Q4_0', options);
  assert.equal(kind, 'undetermined');
  assert.match(
    message,
    /1 nowhere in the reference; decoded, they are the reference's values, in other bytes/,
  );
});

test('diagnose: what is not finite is near to nothing', () => {
  // Scales of E8M0 reach beyond f32, and random bytes of floats are NaN and infinite now and then.
  for (const [encoding, shape] of [
    ['MXFP4', [64, 64]],
    ['Q4_0', [64, 64]],
    ['Q4_K', [256, 256]],
  ]) {
    const { bytes: size, elements } = pw.encodings[encoding];
    const blocks = (shape[0] * shape[1]) / elements;
    const reference = random.bytes(blocks * size);
    const bytes = random.bytes(blocks * size);
    for (let at = 0; at < reference.length; at += size) {
      if (encoding === 'MXFP4') reference[at] = 254;
      else reference.set([0, 0x7c], at);
    }
    const options = { out: shape[0], blocksPerRow: shape[1] / elements, reference };
    const { message } = pw.diagnose(bytes, encoding, options);
    assert.doesNotMatch(message, /nearly/, encoding);
  }
});

test('diagnose: codes that another quantizer rounds otherwise are nearly the reference, garbage is not', () => {
  const reference = stored('Q8_0');
  const rounded = reference.slice();
  for (let at = 2; at < rounded.length; at += 34) rounded[at + 3] ^= 1;
  const near = said(rounded, 'Q8_0');
  assert.equal(near.kind, 'undetermined');
  assert.match(near.message, /nearly the reference's values in their places/);
  const damaged = reference.slice();
  damaged.set(random.bytes(32), 34 * 9 + 2);
  assert.doesNotMatch(said(damaged, 'Q8_0').message, /nearly/);
});

test('diagnose: values rounded by a format with fewer exponents are rounded, not foreign', () => {
  const few = Float32Array.from(values, (value, i) => (i % 7 === 0 ? value / 1e6 : value / 20));
  const reference = new Uint8Array(few.buffer);
  const through = pw.decode(pw.quantize(few, 'F16', { inputDim: 96 }).bytes, 'F16');
  const { kind, message } = pw.diagnose(new Uint8Array(through.buffer), 'F32', {
    out: 8,
    blocksPerRow: 96,
    reference,
  });
  assert.equal(kind, 'undetermined', message);
  assert.match(message, /rounded or computed in another way/);
});

test('diagnose: a factor is found in every float encoding, whatever its rounding', () => {
  for (const encoding of ['F32', 'F16', 'BF16', 'F64']) {
    for (const factor of [0.5, 1.1 / 8, 3, -1 / 7]) {
      const read = pw.decode(stored(encoding), encoding);
      const scaled = Float32Array.from(read, (value) => value * factor);
      const bytes = pw.quantize(scaled, encoding, { inputDim: 96 }).bytes;
      const { kind, message } = said(bytes, encoding);
      assert.equal(kind, 'constant-offset', `${encoding} times ${factor}: ${message}`);
    }
  }
});

test('diagnose: no number in its words is no number', () => {
  const bytes = stored('F32').slice();
  bytes.set([0, 0, 0xc0, 0x7f], 40);
  bytes.set([1, 2, 3, 0x3f], 80);
  const { message, kind } = said(bytes, 'F32');
  assert.equal(kind, 'foreign');
  assert.match(message, /2 of 768 values differ/);
  assert.doesNotMatch(message, /nan/i);
});

test('diagnose: right codes with scales as BF16 are told from other weights', () => {
  const bytes = stored('Q4_0').slice();
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += 18) {
    const [scale] = pw.decode(bytes.subarray(at, at + 2), 'F16');
    view.setFloat32(at, scale, true);
    bytes.copyWithin(at, at + 2, at + 4);
    bytes.set(stored('Q4_0').subarray(at + 2, at + 4), at + 2);
  }
  const { kind, message, fix } = said(bytes, 'Q4_0');
  assert.equal(kind, 'foreign');
  assert.match(message, /in every block qs is right, and so is d once read as BF16/);
  assert.match(fix, /write the scales as F16/);
});

test('diagnose: what was never written is said to be so', () => {
  const half = stored('Q4_0').slice();
  half.fill(0, 5 * 54);
  const { kind, variant, fix } = said(half, 'Q4_0');
  assert.equal(kind, 'truncated');
  assert.match(variant, /from byte \d+ of 432 on there are zeros only/);
  assert.match(fix, /never written/);
  for (const byte of [0, 255]) {
    const { kind, message } = said(new Uint8Array(432).fill(byte), 'Q4_0');
    assert.equal(kind, 'foreign');
    assert.match(message, new RegExp(`every byte is ${byte}, as in memory .* never written`));
  }
});

test('diagnose: heads of four rows are not called split or interleaved, which are the same there', () => {
  const floats = random.floats(8 * 6);
  const rows = [0, 2, 1, 3, 4, 6, 5, 7];
  const moved = Float32Array.from(floats, (_, i) => floats[rows[Math.floor(i / 6)] * 6 + (i % 6)]);
  const { variant } = pw.diagnose(moved.buffer, 'F32', {
    out: 8,
    blocksPerRow: 6,
    reference: floats.buffer,
  });
  assert.equal(variant, 'interleaved and half-split exchanged, heads of 4 rows');
});

test('diagnose: of one nobody says "are", of several nobody says "is"', () => {
  const reference = stored('Q4_0');
  const one = reference.slice();
  one[18 * 7 + 5] ^= 1;
  const all = [
    said(reference.subarray(0, -1), 'Q4_0'),
    said(Uint8Array.from([...reference, 1]), 'Q4_0'),
    said(Uint8Array.from([1, ...reference]), 'Q4_0'),
    said(reference.subarray(1), 'Q4_0'),
    said(one, 'Q4_0'),
  ];
  for (const { message, fix, picture } of all) {
    const text = `${message} ${fix} ${picture}`;
    assert.doesNotMatch(text, /\b1 (\w+ )?(are|belong|hold)\b|\b1 (bytes|blocks|rows|more rows)\b/);
  }
});
