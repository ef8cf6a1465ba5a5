/**
 * The encodings that no golden file holds, by their definitions: plain numbers, and Q8_1 and Q8_K. Runs in Node
 * and in a page; shares no code with the module.
 */
import { PseudoRandom } from './pseudo-random.js';

const random = new PseudoRandom(17);
const range = (count, from = 0) => Array.from({ length: count }, (_, i) => from + i);
const floatOfBits = (bits) => new Float32Array(Uint32Array.of(bits).buffer)[0];

/** The bits of an f32 for those of an fp16. */
function bitsOfHalf(half) {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 31;
  const mantissa = half & 1023;
  if (exponent === 31) return sign | 0x7f800000 | (mantissa << 13);
  const value = exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25);
  return sign | new Uint32Array(Float32Array.of(value).buffer)[0];
}

/** The f32 nearest to a whole number, of two the even one; not by way of f64, which would round twice. */
function nearestFloat(whole) {
  const size = whole < 0n ? -whole : whole;
  const dropped = BigInt(Math.max(0, size.toString(2).length - 24));
  const unit = 1n << dropped;
  const [kept, rest] = [size / unit, size % unit];
  const up = 2n * rest > unit || (2n * rest === unit && kept % 2n === 1n);
  return Number((kept + (up ? 1n : 0n)) * unit) * (whole < 0n ? -1 : 1);
}

const edges = [...range(70), ...range(70, 2 ** 24 - 35), ...range(40, 2 ** 31 - 40)];
const wholes = [...edges, ...range(200).map(() => random.below(2 ** 31))];
const longs = range(63).flatMap((k) => {
  const power = 1n << BigInt(k);
  const half = k > 24 ? 1n << BigInt(k - 24) : 0n;
  return [power - 1n, power, power + half - 1n, power + half, power + half + 1n, power + 3n * half];
});
const halfWay = 2 ** 128 - 2 ** 103; // between the largest f32 and what would follow it
const doubles = [
  ...[0, 0.1, 1 / 3, 1 + 2 ** -24, 1 + 3 * 2 ** -24, 1 + 2 ** -24 + 2 ** -50, 1e39, halfWay],
  ...[halfWay * (1 - 2 ** -53), 2 ** -149, 2 ** -150, 2 ** -150 * 1.0001, 3 * 2 ** -150, 1e-320],
  ...[Infinity, NaN],
  ...range(500).map(() => (random.below(2 ** 31) / 3) * 2 ** (random.below(300) - 170)),
];
const both = (values) => [...values, ...values.map((value) => -value)];
const floatBits = [0, 1, 0x7fffff, 0x800000, 0x3dcccccd, 0x7f7fffff, 0x7f800000, 0x7fc12345];

/** Stored numbers by encoding, and the bits that they decode to. */
const plain = {
  F32: [Uint32Array, floatBits.flatMap((b) => [b, (b | 0x80000000) >>> 0]), (b) => b],
  F16: [Uint16Array, range(65536), bitsOfHalf],
  BF16: [Uint16Array, range(65536), (b) => b << 16],
  F64: [Float64Array, both(doubles), null],
  I8: [Int8Array, range(256, -128), null],
  I16: [Int16Array, range(65536, -32768), null],
  I32: [Int32Array, [...both(wholes), -(2 ** 31)], null],
  I64: [
    BigInt64Array,
    [...longs, ...longs.map((value) => -value), -(1n << 63n)],
    null,
    nearestFloat,
  ],
};

/** Weights of these encodings: their bytes in rows of the given number of blocks, and their values. */
function weights() {
  const made = Object.entries(plain).map(([name, [Stored, numbers, bitsOf, valueOf]]) => {
    const stored = Stored.from(numbers);
    const values = bitsOf
      ? new Float32Array(Uint32Array.from(stored, bitsOf).buffer)
      : Float32Array.from(stored, valueOf ?? ((value) => value));
    return { name, bytes: new Uint8Array(stored.buffer), values };
  });
  const halves = [0x0001, 0x03ff, 0x0400, 0x3555, 0x7bff, 0x8001, 0xbc00, 0x2e66];
  const floats = [2 ** -149, 2 ** -126, 0.3, -1 / 3, 1e30, -0, 1e-39, 7];
  const scales = halves.map((half, i) => ({
    Q8_1: { scale: floatOfBits(bitsOfHalf(half)), stored: Uint16Array.of(half, half ^ 0x155) },
    Q8_K: { scale: Math.fround(floats[i]), stored: Float32Array.of(floats[i]) },
  }));
  for (const [name, count, after] of [
    ['Q8_1', 32, 0],
    ['Q8_K', 256, 32],
  ]) {
    const values = [];
    const bytes = scales.flatMap(({ [name]: { scale, stored } }) => {
      const codes = Int8Array.from({ length: count }, () => random.below(256) - 128);
      // A product of so few bits is exact before it is rounded once.
      values.push(...[...codes].map((code) => Math.fround(scale * code)));
      return [
        ...new Uint8Array(stored.buffer),
        ...new Uint8Array(codes.buffer),
        ...random.bytes(after),
      ];
    });
    made.push({ name, bytes: Uint8Array.from(bytes), values: Float32Array.from(values) });
  }
  return made;
}

const bitsOfFloats = (floats) => new Uint32Array(floats.buffer, floats.byteOffset, floats.length);

/** Whether two arrays hold the same bits, or NaN where NaN has come out of a conversion. */
function same(name, actual, expected) {
  const [a, b] = [bitsOfFloats(actual), bitsOfFloats(expected)];
  const converted = name === 'F64';
  return (
    a.length === b.length &&
    a.every((bits, i) => bits === b[i] || (converted && isNaN(actual[i]) && isNaN(expected[i])))
  );
}

/** ROW_MAJOR blocks in kernel order. */
function inKernelOrder(bytes, size, out) {
  const blocksPerRow = bytes.length / size / out;
  const moved = new Uint8Array(bytes.length);
  for (let o = 0; o < out; ++o) {
    for (let b = 0; b < blocksPerRow; ++b) {
      const from = (o * blocksPerRow + b) * size;
      moved.set(bytes.subarray(from, from + size), (b * out + o) * size);
    }
  }
  return moved;
}

/**
 * Decodes every one of these weights in every way and from both orders.
 * @param {import('packed-weights').PackedWeights} pw
 * @returns {{ wrong: string[], checked: string[] }} what differs, and the encodings looked at
 */
export function compareDefinitions(pw) {
  const wrong = [];
  const expect = (right, what) => right || wrong.push(what);
  const all = weights();
  for (const { name, bytes, values } of all) {
    const { bytes: size, elements } = pw.encodings[name];
    expect(same(name, pw.decode(bytes, name), values), `${name}: decode`);
    const blocks = bytes.length / size;
    const out = [4, 3, 2, 1].find((rows) => blocks % rows === 0);
    const inputDim = (blocks / out) * elements;
    for (const order of ['ROW_MAJOR', 'INPUT_BLOCK_MAJOR']) {
      const ordered = order === 'ROW_MAJOR' ? bytes : inKernelOrder(bytes, size, out);
      const view = pw.view(ordered, { encoding: name, shape: [out, inputDim], order });
      expect(same(name, view.toFloats(), values), `${name}: toFloats, ${order}`);
      for (let i = 0; i < values.length; i += 1 + (values.length >> 12)) {
        const [o, at] = [Math.floor(i / inputDim), i % inputDim];
        expect(Object.is(view.get(o, at), values[i]), `${name}: get(${o}, ${at}), ${order}`);
      }
      view.dispose();
    }
  }
  return { wrong, checked: all.map(({ name }) => name) };
}
