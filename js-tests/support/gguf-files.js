/** Small files for the tests, and how one is read. */
import assert from 'node:assert/strict';
import { aligned, ggufFile, ggufHeader } from './gguf-writer.js';
import { open } from 'node:fs/promises';

/** ggml type, elements and bytes of a block. */
const FORMATS = { F32: [0, 1, 4], Q4_0: [2, 32, 18], Q8_0: [8, 32, 34], Q4_K: [12, 256, 144] };

/** Blocks of noise with the scale 1/64. */
function tensor(name, encoding, ne, seed) {
  const [ggmlType, elements, blockBytes] = FORMATS[encoding];
  const bytes = new Uint8Array((ne.reduce((a, b) => a * b) / elements) * blockBytes);
  let s = seed;
  for (let i = 0; i < bytes.length; i++) {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    bytes[i] = s >>> 24;
  }
  const view = new DataView(bytes.buffer);
  if (encoding === 'F32')
    for (let i = 0; i < bytes.length; i += 4) view.setFloat32(i, i / 64, true);
  else
    for (let i = 0; i < bytes.length; i += blockBytes) view.setUint16(i, 0x2400 + (i % 97), true);
  return { name, ne, ggmlType, bytes };
}

/** @returns {Uint8Array} */
export function smallModel() {
  return ggufFile({ 'general.architecture': 'test', 'general.quantization_version': 2 }, [
    tensor('tall.weight', 'Q4_0', [96, 37], 1),
    tensor('wide.weight', 'Q8_0', [160, 3], 2),
    tensor('experts.weight', 'Q8_0', [96, 6, 4], 3),
    tensor('norm.weight', 'F32', [48], 4),
  ]);
}

/** A model with a tensor of the small one's, in another encoding. */
export function sameNameOtherEncoding() {
  return ggufFile({ 'general.architecture': 'test' }, [tensor('tall.weight', 'F32', [96, 37], 1)]);
}

/** @returns {{ name: string, bytes: Uint8Array, says: RegExp }[]} */
export function hostileFiles() {
  const good = smallModel();
  const changed = (/** @type {(view: DataView) => void} */ edit) => {
    const copy = good.slice();
    edit(new DataView(copy.buffer));
    return copy;
  };
  return [
    { name: 'empty.gguf', bytes: new Uint8Array(0), says: /empty|0 bytes|ends|offset/i },
    { name: 'cut.gguf', bytes: good.slice(0, 60), says: /offset|byte/i },
    {
      name: 'text.gguf',
      bytes: new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\n'),
      says: /pointer|LFS|GGUF/i,
    },
    {
      name: 'counts.gguf',
      bytes: changed((v) => v.setBigUint64(8, 2n ** 62n, true)),
      says: /4611686018427387904|tensor/i,
    },
  ];
}

/** A file of many gigabytes that takes no room on the disk. @param {string} path @param {number} size */
export async function writeSparse(path, size) {
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.close();
}

/**
 * A model file of many gigabytes that takes no room on the disk: a real header, then a hole.
 * @param {string} path
 * @param {{ name: string, encoding: keyof typeof FORMATS, ne: number[] }[]} tensors
 * @returns {Promise<{ size: number, header: number }>}
 */
export async function writeSparseModel(path, tensors) {
  const heads = tensors.map(({ name, encoding, ne }) => {
    const [ggmlType, elements, blockBytes] = FORMATS[encoding];
    return { name, ne, ggmlType, byteLength: (ne.reduce((a, b) => a * b) / elements) * blockBytes };
  });
  const header = ggufHeader(
    { 'general.architecture': 'llama', 'general.quantization_version': 2 },
    heads,
  );
  const size = heads.reduce((sum, { byteLength }) => sum + aligned(byteLength), header.length);
  const file = await open(path, 'w');
  await file.write(header);
  await file.truncate(size);
  await file.close();
  return { size, header: header.length };
}

/**
 * Reads a source of smallModel(): tensors, a tensor's bytes, and all values.
 * @param {any} pw
 * @param {any} source
 */
export async function requireSmallModel(pw, source) {
  const bytes = smallModel();
  const file = await pw.openGguf(source);
  assert.equal(file.size, bytes.length);
  assert.deepEqual(
    file.tensors.map(({ name }) => name),
    ['tall.weight', 'wide.weight', 'experts.weight', 'norm.weight'],
  );
  const { offset, byteLength } = file.tensor('wide.weight');
  assert.deepEqual(
    await file.bytes('wide.weight'),
    new Uint8Array(bytes.subarray(offset, offset + byteLength)),
  );
  await file.close();
  const { tensorsChecked } = await pw.validate(source);
  assert.equal(tensorsChecked, 4);
}
