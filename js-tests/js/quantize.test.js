import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';

const pw = await load();
const ramp = Float32Array.from({ length: 512 }, (_, i) => Math.sin(i));
const refused = (code, what) => assert.throws(what, { name: 'PackedError', code });

test('quantize: the report is what decoding again shows', () => {
  const { bytes, report } = pw.quantize(ramp, 'Q4_K', { inputDim: 256 });
  const back = pw.decode(bytes, 'Q4_K');
  let lost = 0;
  let squares = 0;
  let maxAbs = 0;
  ramp.forEach((value, i) => {
    lost += (value - back[i]) ** 2;
    squares += value ** 2;
    maxAbs = Math.max(maxAbs, Math.abs(value - back[i]));
  });
  assert.equal(bytes.length, 288);
  assert.ok(Math.abs(report.relativeRms - Math.sqrt(lost / squares)) < 1e-6);
  assert.ok(Math.abs(report.maxAbs - maxAbs) < 1e-6);
  assert.ok(report.worstRow === 0 || report.worstRow === 1);
});

test('quantize: NaN and infinity are refused with the index by every quantizer', () => {
  const names = Object.values(pw.encodings).filter(({ quantizable }) => quantizable);
  assert.ok(names.length > 20);
  for (const { name } of names) {
    for (const bad of [NaN, Infinity, -Infinity]) {
      for (const at of [0, 300, 511]) {
        const values = ramp.slice();
        values[at] = bad;
        const where = `element ${at} (row ${at >> 8}, input ${at & 255}) is`;
        assert.throws(
          () => pw.quantize(values, name, { inputDim: 256 }),
          ({ code, message }) => code === 'ELEMENT_NOT_FINITE' && message.startsWith(where),
          name,
        );
      }
    }
  }
});

test('quantize: what does not fit is refused', () => {
  refused('NOT_BLOCK_DIVISIBLE', () => pw.quantize(ramp, 'Q4_K', { inputDim: 128 }));
  refused('SIZE_MISMATCH', () => pw.quantize(ramp.subarray(1), 'Q4_K', { inputDim: 256 }));
  refused('UNSUPPORTED_ENCODING', () => pw.quantize(ramp, 'IQ2_XS', { inputDim: 256 }));
  refused('UNKNOWN_ENCODING', () => pw.quantize(ramp, 'Q4_9', { inputDim: 256 }));
  refused('INVALID_ARGUMENT', () => pw.quantize([1, 2], 'Q4_0'));
  refused('SIZE_MISMATCH', () =>
    pw.quantize(ramp, 'Q4_0', { inputDim: 256, importance: new Float32Array(255) }),
  );
  refused('OUT_OF_RANGE', () => pw.quantize(new Float32Array(64).fill(3000), 'NVFP4'));
});

test('quantize: importance makes the important inputs come out better', () => {
  const importance = new Float32Array(256).fill(1);
  importance[7] = 1000;
  const at7 = (options) => {
    const { bytes } = pw.quantize(ramp, 'Q2_K', { inputDim: 256, ...options });
    return Math.abs(pw.decode(bytes, 'Q2_K')[7] - ramp[7]);
  };
  assert.ok(at7({ importance }) <= at7({}));
});

test('quantize: importance that is no weight per input is refused, never taken for none', () => {
  const plain = pw.quantize(ramp, 'Q4_K', { inputDim: 256 }).bytes;
  const withImportance = (importance) =>
    pw.quantize(ramp, 'Q4_K', { inputDim: 256, importance }).bytes;
  for (const none of [undefined, null]) assert.deepEqual(withImportance(none), plain);
  for (const length of [0, 1, 255, 257, 512]) {
    assert.throws(() => withImportance(new Float32Array(length).fill(1)), {
      code: 'SIZE_MISMATCH',
      message: new RegExp(`^importance is one weight per input: 256, not ${length}`),
    });
  }
  for (const wrong of [0, false, '', [], new Float64Array(256)]) {
    refused('INVALID_ARGUMENT', () => withImportance(wrong));
  }
  for (const bad of [NaN, Infinity, -Infinity, -1]) {
    for (const at of [0, 255]) {
      const importance = new Float32Array(256).fill(1);
      importance[at] = bad;
      assert.throws(() => withImportance(importance), {
        code: 'INVALID_ARGUMENT',
        message: new RegExp(`^importance\\[${at}\\] is `),
      });
    }
  }
});

test('quantize: no values are no bytes, and nothing is lost', () => {
  for (const { name, quantizable } of Object.values(pw.encodings)) {
    if (!quantizable) continue;
    const { bytes, report } = pw.quantize(new Float32Array(0), name, { inputDim: 256 });
    assert.equal(bytes.length, 0, name);
    assert.deepEqual(report, { relativeRms: 0, maxAbs: 0, worstRow: 0, worstRowRms: 0 });
  }
});

test('ternary: values survive each encoding exactly', () => {
  const values = Float32Array.from({ length: 256 }, (_, i) => 0.5 * ((i % 3) - 1));
  for (const encoding of ['TQ1_0', 'TQ2_0', 'BITNET_B1_58']) {
    const { bytes, scale } = pw.ternary.encode(values, encoding);
    assert.equal(scale, 0.5);
    assert.deepEqual(pw.ternary.decode(bytes, encoding, 256), values);
  }
  refused('INVALID_ARGUMENT', () => pw.ternary.encode(ramp, 'TQ2_0'));
  refused('UNKNOWN_ENCODING', () => pw.ternary.encode(values, 'TQ3_0'));
});

test('ternary: I2_S is read in the stated order and in no other', () => {
  const stored = new Uint8Array(64).fill(0x55, 0, 32);
  stored[1] = 0x55 ^ 0x30; // element 33 of a group of 128 becomes code 2
  new DataView(stored.buffer).setFloat32(32, 1, true);
  const positionOf = (order) => {
    const { bytes } = pw.ternary.importI2S(stored, { count: 128, order });
    return pw.ternary.decode(bytes, 'BITNET_B1_58', 128).indexOf(1);
  };
  assert.equal(positionOf('group128'), 33);
  assert.equal(positionOf('group64'), 17);
  assert.equal(positionOf('sequential'), 6);
  refused('ORDER_REQUIRED', () => pw.ternary.importI2S(stored, { count: 128 }));
  refused('ORDER_REQUIRED', () => pw.ternary.importI2S(stored, { count: 128, order: 'auto' }));
  stored[1] = 0x55 | 0x30;
  assert.throws(() => pw.ternary.importI2S(stored, { count: 128, order: 'group128' }), {
    code: 'INVALID_CODE',
    message: /^element 33 /,
  });
  refused('SIZE_MISMATCH', () =>
    pw.ternary.importI2S(stored, { count: 2 ** 40, order: 'group128' }),
  );
  stored[1] = 0x55;
  new DataView(stored.buffer).setFloat32(32, NaN, true);
  refused('ELEMENT_NOT_FINITE', () =>
    pw.ternary.importI2S(stored, { count: 128, order: 'group128' }),
  );
  refused('ELEMENT_NOT_FINITE', () =>
    pw.ternary.decode(stored.subarray(0, 36), 'BITNET_B1_58', 128),
  );
});
