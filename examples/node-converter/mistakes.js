// The converter with one mistake each, and what CI then says.
import { fixtures } from 'packed-weights/testing';
import { quantize, relayout } from './converter.js';

const BLOCK_BYTES = 34;

/** Some real weight of out x blocksPerRow blocks of Q8_0. */
function waves(out, blocksPerRow) {
  const values = Float32Array.from({ length: out * blocksPerRow * 32 }, (_, i) => Math.sin(i * i));
  return { bytes: quantize(values), out, blocksPerRow };
}

const bytesOf = (floats) => new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
const plain = (values, out) => ({
  bytes: bytesOf(values),
  out,
  blocksPerRow: values.length / out,
});

/**
 * Without a weight of their own they are made on the decodable fixture of Q8_0.
 * @type {{ title: string, kind: string, encoding?: string, kernelOrder?: boolean,
 *   weight?: { bytes: Uint8Array, out: number, blocksPerRow: number },
 *   make: (file: Uint8Array, out: number, blocksPerRow: number) => Uint8Array }[]}
 */
export const mistakes = [
  {
    title: 'forgot the relayout',
    kind: 'other-order',
    make: (file) => file,
  },
  {
    title: 'relaid out what the reader had relaid out already',
    kind: 'prepacked-twice',
    make: (file, out) => relayout(relayout(file, out), out),
  },
  {
    title: 'took the ne label [in, out] for [out, in]',
    kind: 'swapped-label',
    make: (file, out, blocksPerRow) => relayout(file, blocksPerRow),
  },
  {
    title: 'did not skip a header of 16 bytes',
    kind: 'shifted',
    make: (file, out) => Uint8Array.from([...new Uint8Array(16), ...relayout(file, out)]),
  },
  {
    title: 'padded every column to the next block',
    kind: 'padded-stride',
    make: (file, out, blocksPerRow) => {
      const kernel = relayout(file, out);
      const line = out * BLOCK_BYTES;
      const padded = new Uint8Array(blocksPerRow * (line + BLOCK_BYTES));
      for (let b = 0; b < blocksPerRow; ++b) {
        padded.set(kernel.subarray(b * line, (b + 1) * line), b * (line + BLOCK_BYTES));
      }
      return padded;
    },
  },
  {
    title: 'moved the codes but not the scales',
    kind: 'scales-only',
    make: (file, out) => {
      const kernel = relayout(file, out);
      for (let at = 0; at < file.length; at += BLOCK_BYTES) {
        kernel.set(file.subarray(at, at + 2), at);
      }
      return kernel;
    },
  },
  {
    title: 'wrote the scales big-endian',
    kind: 'scale-bytes',
    make: (file, out) => {
      const kernel = relayout(file, out);
      for (let at = 0; at < file.length; at += BLOCK_BYTES) {
        kernel.subarray(at, at + 2).reverse();
      }
      return kernel;
    },
  },
  {
    title: 'wrote the codes with 128 added',
    kind: 'constant-offset',
    make: (file, out) =>
      relayout(file, out).map((byte, i) => (i % BLOCK_BYTES < 2 ? byte : byte ^ 0x80)),
  },
  {
    title: 'reversed the rows',
    kind: 'row-permutation',
    make: (file, out, blocksPerRow) => {
      const row = blocksPerRow * BLOCK_BYTES;
      const reversed = new Uint8Array(file.length);
      for (let o = 0; o < out; ++o) {
        reversed.set(file.subarray(o * row, (o + 1) * row), (out - 1 - o) * row);
      }
      return relayout(reversed, out);
    },
  },
  {
    title: 'wove four rows together, as one kind of kernel wants them',
    kind: 'interleaved-rows',
    weight: waves(8, 5),
    make: (file, out, blocksPerRow) => {
      const parts = [];
      for (let o = 0; o < out; o += 4) {
        for (let b = 0; b < blocksPerRow; ++b) {
          const rows = [0, 1, 2, 3].map((r) => ((o + r) * blocksPerRow + b) * BLOCK_BYTES);
          for (const at of rows) parts.push(file.subarray(at, at + 2));
          for (let code = 2; code < BLOCK_BYTES; code += 4) {
            for (const at of rows) parts.push(file.subarray(at + code, at + code + 4));
          }
        }
      }
      return Uint8Array.from(parts.flatMap((part) => [...part]));
    },
  },
  {
    title: 'packed the nibbles of Q4_0 one after the other',
    kind: 'nibble-order',
    encoding: 'Q4_0',
    weight: fixtures.decodable('Q4_0'),
    make: (file, out) => {
      const kernel = relayout(file, out, 18);
      for (let at = 2; at < kernel.length; at += 18) {
        const codes = kernel.slice(at, at + 16);
        const code = (e) => (e < 16 ? codes[e] & 15 : codes[e - 16] >> 4);
        for (let j = 0; j < 16; ++j) kernel[at + j] = code(2 * j) | (code(2 * j + 1) << 4);
      }
      return kernel;
    },
  },
  {
    title:
      'forgot the relayout of a square grid, where a second relayout would leave the same bytes',
    kind: 'undetermined',
    weight: waves(3, 3),
    make: (file) => file,
  },
  {
    title: 'added one to norm weights, as one side of the model does on purpose',
    kind: 'constant-offset',
    encoding: 'F32',
    kernelOrder: false,
    weight: plain(Float32Array.of(0.02, -0.125, 0.7, 0.31, -0.4, 0.05), 1),
    make: (file) => bytesOf(new Float32Array(file.slice().buffer).map((value) => value + 1)),
  },
  {
    title: 'split the rows of query heads in halves',
    kind: 'row-permutation',
    encoding: 'F32',
    kernelOrder: false,
    weight: plain(
      Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)),
      8,
    ),
    make: (file) => {
      const rows = [0, 2, 4, 6, 1, 3, 5, 7].map((o) => [...file.subarray(o * 12, o * 12 + 12)]);
      return Uint8Array.from(rows.flat());
    },
  },
  {
    title: 'stopped writing too early',
    kind: 'truncated',
    make: (file, out) => relayout(file, out).subarray(0, -40),
  },
  {
    title: 'wrote another tensor',
    kind: 'foreign',
    make: (file) => file.map((byte, i) => byte ^ (i * 11 + 1)),
  },
];
