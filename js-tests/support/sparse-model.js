/** A model file of many gigabytes that takes no room on the disk: a real header, then a hole. */
import { open } from 'node:fs/promises';

/** ggml type, elements and bytes of a block. */
const FORMATS = { Q8_0: [8, 32, 34], Q4_K: [12, 256, 144] };

/**
 * @param {string} path
 * @param {{ name: string, encoding: 'Q8_0' | 'Q4_K', ne: number[] }[]} tensors
 * @returns {Promise<{ size: number, header: number }>}
 */
export async function writeSparseModel(path, tensors) {
  /** @type {Buffer[]} */
  const parts = [];
  const u32 = (/** @type {number} */ v) => parts.push(Buffer.from(new Uint32Array([v]).buffer));
  const u64 = (/** @type {number} */ v) =>
    parts.push(Buffer.from(new BigUint64Array([BigInt(v)]).buffer));
  const text = (/** @type {string} */ s) => {
    u64(Buffer.byteLength(s));
    parts.push(Buffer.from(s));
  };
  parts.push(Buffer.from('GGUF'));
  u32(3);
  u64(tensors.length);
  u64(2);
  text('general.architecture');
  u32(8);
  text('llama');
  text('general.quantization_version');
  u32(4);
  u32(2);
  let offset = 0;
  for (const { name, encoding, ne } of tensors) {
    const [type, elements, bytes] = FORMATS[encoding];
    text(name);
    u32(ne.length);
    ne.forEach(u64);
    u32(type);
    u64(offset);
    offset += Math.ceil(((ne.reduce((a, b) => a * b) / elements) * bytes) / 32) * 32;
  }
  const header = Buffer.concat(parts);
  const start = Math.ceil(header.length / 32) * 32;
  const file = await open(path, 'w');
  await file.write(header);
  await file.truncate(start + offset);
  await file.close();
  return { size: start + offset, header: start };
}
