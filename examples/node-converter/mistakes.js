// The converter with one mistake each, and what CI then says.
import { relayout } from './converter.js';

const BLOCK_BYTES = 34;

/** @type {{ title: string, kind: string, make: (file: Uint8Array, out: number, blocksPerRow: number) => Uint8Array }[]} */
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
