/**
 * A weight as a file holds it.
 * @typedef {{ encoding: string, blockBytes: number, elements: number, out: number, blocksPerRow: number, bytes: Uint8Array }} Weight
 */

/** The ways in which converters go wrong: kind of the diagnosis, and the bytes where kernel order is wanted. */
export const mistakes = [
  { name: 'relayout forgotten', kind: 'other-order', make: (w) => w.bytes },
  {
    name: 'relayout applied twice',
    kind: 'prepacked-twice',
    make: (w) => relaid(w, relaid(w, w.bytes)),
  },
  {
    name: 'relayout driven by the swapped label',
    kind: 'swapped-label',
    make: (w) => relaid({ ...w, out: w.blocksPerRow, blocksPerRow: w.out }, w.bytes),
  },
  {
    name: 'header of 20 bytes not skipped',
    kind: 'shifted',
    make: (w) => joined([new Uint8Array(20).fill(0x47), kernelOrder(w)]),
  },
  { name: 'first block lost', kind: 'shifted', make: (w) => kernelOrder(w).subarray(w.blockBytes) },
  {
    name: 'a column of blocks lost',
    kind: 'shifted',
    make: (w) => (w.blocksPerRow < 2 ? null : kernelOrder(w).subarray(w.out * w.blockBytes)),
  },
  { name: '7 bytes lost', kind: 'shifted', make: (w) => kernelOrder(w).subarray(7) },
  ...[
    [4, 4, 0],
    [4, 8, 0],
    [8, 8, 0],
    [4, 4, 0x88],
    [4, 8, 0x88],
    [8, 8, 0x88],
  ].map(([rows, chunk, flip]) => ({
    name: `rows interleaved ${rows} by ${chunk}${flip ? ' with XOR' : ''}`,
    kind: 'interleaved-rows',
    make: (w) => woven(w, rows, chunk, flip),
  })),
  { name: 'columns padded by one block', kind: 'padded-stride', make: padded },
  {
    name: 'rows in reverse',
    kind: 'row-permutation',
    make: (w) => kernelOrder({ ...w, bytes: rowsFrom(w, (o) => w.out - 1 - o) }),
  },
  {
    name: 'rows half-split',
    kind: 'row-permutation',
    make: (w) =>
      kernelOrder({
        ...w,
        bytes: rowsFrom(w, (o) => (o < w.out / 2 ? 2 * o : 2 * o - w.out + 1)),
      }),
  },
  { name: 'last byte missing', kind: 'truncated', make: (w) => kernelOrder(w).subarray(0, -1) },
  {
    name: 'all bytes inverted',
    kind: 'foreign',
    make: (w) => kernelOrder(w).map((byte, i) => byte ^ (0xa5 + i * 7)),
  },
  { name: 'scales in file order', kind: 'scales-only', make: (w) => scalesFrom(w) },
  {
    name: 'scales big-endian',
    kind: 'scale-bytes',
    make: (w) => edited(w, (block, at) => block.set(block.slice(at, at + 2).reverse(), at)),
  },
  { name: 'nibbles linear', kind: 'nibble-order', make: linear },
  {
    name: 'codes in twos complement',
    kind: 'constant-offset',
    make: (w) =>
      w.encoding === 'Q4_0'
        ? edited(w, (block) => {
            for (let i = 2; i < 18; ++i) block[i] ^= 0x88;
          })
        : null,
  },
];

/** Where the fp16 scale of a block is, for the encodings of the real files. */
const scaleAt = { Q4_0: 0, Q4_1: 0, Q5_0: 0, Q5_1: 0, Q8_0: 0, Q4_K: 0, Q5_K: 0, Q6_K: 208 };

/** Every block from its ROW_MAJOR place to where a relayout of the grid puts it. @param {Weight} w */
export function relaid({ out, blocksPerRow, blockBytes }, bytes) {
  const to = new Uint8Array(bytes.length);
  for (let o = 0; o < out; ++o) {
    for (let b = 0; b < blocksPerRow; ++b) {
      const from = (o * blocksPerRow + b) * blockBytes;
      to.set(bytes.subarray(from, from + blockBytes), (b * out + o) * blockBytes);
    }
  }
  return to;
}

/** @param {Weight} w */
export const kernelOrder = (w) => relaid(w, w.bytes);

/** @param {Uint8Array[]} parts */
export function joined(parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function padded(w) {
  const right = kernelOrder(w);
  const line = w.out * w.blockBytes;
  const parts = [];
  for (let b = 0; b < w.blocksPerRow; ++b) {
    parts.push(right.subarray(b * line, (b + 1) * line), new Uint8Array(w.blockBytes));
  }
  return joined(parts);
}

function rowsFrom(w, from) {
  const row = w.blocksPerRow * w.blockBytes;
  const rows = Array.from({ length: w.out }, (_, o) =>
    w.bytes.subarray(from(o) * row, (from(o) + 1) * row),
  );
  return joined(rows);
}

function edited(w, edit) {
  const bytes = kernelOrder(w);
  for (let at = 0; at < bytes.length; at += w.blockBytes) {
    edit(bytes.subarray(at, at + w.blockBytes), scaleAt[w.encoding]);
  }
  return bytes;
}

function scalesFrom(w) {
  const bytes = kernelOrder(w);
  const at = scaleAt[w.encoding];
  for (let start = at; start < bytes.length; start += w.blockBytes) {
    bytes.set(w.bytes.subarray(start, start + 2), start);
  }
  return bytes;
}

// Scales of the rows, then `chunk` bytes of codes of each in turn; formats of one scale and nothing else.
function woven(w, rows, chunk, flip) {
  if (!['Q4_0', 'Q8_0'].includes(w.encoding) || w.out % rows !== 0) return null;
  if (flip && w.encoding !== 'Q4_0') return null;
  const parts = [];
  const block = (o, b) => (o * w.blocksPerRow + b) * w.blockBytes;
  for (let group = 0; group < w.out; group += rows) {
    for (let b = 0; b < w.blocksPerRow; ++b) {
      for (let r = 0; r < rows; ++r) {
        parts.push(w.bytes.subarray(block(group + r, b), block(group + r, b) + 2));
      }
      for (let at = 2; at < w.blockBytes; at += chunk) {
        for (let r = 0; r < rows; ++r) {
          const from = block(group + r, b) + at;
          parts.push(w.bytes.subarray(from, from + chunk).map((byte) => byte ^ flip));
        }
      }
    }
  }
  return joined(parts);
}

function linear(w) {
  const at = { Q4_0: 2, Q4_1: 4, Q5_0: 6, Q5_1: 8 }[w.encoding];
  if (at === undefined) return null;
  return edited(w, (block) => {
    const codes = block.slice(at, at + 16);
    const code = (e) => (e < 16 ? codes[e] & 15 : codes[e - 16] >> 4);
    for (let j = 0; j < 16; ++j) block[at + j] = code(2 * j) | (code(2 * j + 1) << 4);
  });
}

/**
 * A weight of plain values, [out, inputDim], as a file holds it.
 * @typedef {{ out: number, inputDim: number, values: Float32Array }} Values
 */

/** The same for F32 values: kind of the diagnosis, and the bytes where the reference is wanted. */
export const valueMistakes = [
  {
    name: 'one added',
    kind: 'constant-offset',
    make: ({ values }) => bytesOf(values.map((v) => v + 1)),
  },
  {
    name: 'halved',
    kind: 'constant-offset',
    make: ({ values }) => bytesOf(values.map((v) => v / 2)),
  },
  {
    name: 'rows half-split',
    kind: 'row-permutation',
    make: (w) => valuesFrom(w, (o, i) => [o < w.out / 2 ? 2 * o : 2 * o - w.out + 1, i]),
  },
  {
    name: 'rows in reverse',
    kind: 'row-permutation',
    make: (w) => valuesFrom(w, (o, i) => [w.out - 1 - o, i]),
  },
  {
    name: 'transposed',
    kind: 'other-order',
    make: ({ out, inputDim, values }) =>
      bytesOf(values.map((_, at) => values[(at % out) * inputDim + Math.floor(at / out)])),
  },
  {
    name: 'big-endian',
    kind: 'scale-bytes',
    make: ({ values }) => new Uint8Array(bytesOf(values).buffer).map(reversedBy4),
  },
  {
    name: 'header of 20 bytes not skipped',
    kind: 'shifted',
    make: ({ values }) => joined([new Uint8Array(20).fill(0x47), bytesOf(values)]),
  },
  {
    name: 'first value lost',
    kind: 'shifted',
    make: ({ values }) => bytesOf(values).subarray(4),
  },
  {
    name: 'rows padded by a value',
    kind: 'padded-stride',
    make: ({ out, inputDim, values }) =>
      joined(
        Array.from({ length: out }, (_, o) =>
          joined([bytesOf(values.subarray(o * inputDim, (o + 1) * inputDim)), new Uint8Array(4)]),
        ),
      ),
  },
  {
    name: 'last byte missing',
    kind: 'truncated',
    make: ({ values }) => bytesOf(values).subarray(0, -1),
  },
  {
    name: 'other values',
    kind: 'foreign',
    make: ({ values }) => bytesOf(values.map((v, i) => Math.fround(Math.sin(i) + v * 3.7))),
  },
];

const bytesOf = (floats) => new Uint8Array(Float32Array.from(floats).buffer);
const reversedBy4 = (_, at, bytes) => bytes[at - (at % 4) + 3 - (at % 4)];

function valuesFrom({ out, inputDim, values }, from) {
  const moved = new Float32Array(values.length);
  for (let o = 0; o < out; ++o) {
    for (let i = 0; i < inputDim; ++i) {
      const [row, column] = from(o, i);
      moved[o * inputDim + i] = values[row * inputDim + column];
    }
  }
  return bytesOf(moved);
}
