/**
 * The smallest writer that makes a GGUF file: text and u32 metadata, tensors with bytes. Independent of the
 * package, so that the page's tests do not lean on what they test; a header alone makes sparse files.
 *
 * @typedef {{ name: string, ne: number[], ggmlType: number, byteLength: number }} TensorHead
 */

const ALIGNMENT = 32;
const U32 = 4;
const TEXT = 8;

/** @param {number} n */
export function aligned(n) {
  return Math.ceil(n / ALIGNMENT) * ALIGNMENT;
}

/**
 * @param {Record<string, string | number>} metadata
 * @param {TensorHead[]} tensors
 * @param {boolean} [bigEndian]
 * @returns {Uint8Array} up to the first tensor's byte
 */
export function ggufHeader(metadata, tensors, bigEndian = false) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const number = (/** @type {Uint32Array | BigUint64Array} */ { buffer }) => {
    const bytes = new Uint8Array(buffer);
    parts.push(bigEndian ? bytes.reverse() : bytes);
  };
  const u32 = (/** @type {number} */ v) => number(Uint32Array.of(v));
  const u64 = (/** @type {number} */ v) => number(BigUint64Array.of(BigInt(v)));
  const text = (/** @type {string} */ s) => {
    const bytes = new TextEncoder().encode(s);
    u64(bytes.length);
    parts.push(bytes);
  };
  parts.push(new TextEncoder().encode('GGUF'));
  u32(3);
  u64(tensors.length);
  u64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    text(key);
    u32(typeof value === 'string' ? TEXT : U32);
    if (typeof value === 'string') text(value);
    else u32(value);
  }
  let offset = 0;
  for (const { name, ne, ggmlType, byteLength } of tensors) {
    text(name);
    u32(ne.length);
    ne.forEach(u64);
    u32(ggmlType);
    u64(offset);
    offset += aligned(byteLength);
  }
  return joined(parts, aligned(parts.reduce((sum, part) => sum + part.length, 0)));
}

/**
 * @param {Record<string, string | number>} metadata
 * @param {{ name: string, ne: number[], ggmlType: number, bytes: Uint8Array }[]} tensors
 * @param {boolean} [bigEndian] of the header; bytes are written as they are
 */
export function ggufFile(metadata, tensors, bigEndian = false) {
  const heads = tensors.map(({ bytes, ...rest }) => ({ ...rest, byteLength: bytes.length }));
  const parts = [ggufHeader(metadata, heads, bigEndian)];
  for (const { bytes } of tensors)
    parts.push(bytes, new Uint8Array(aligned(bytes.length) - bytes.length));
  return joined(
    parts,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
}

/** @param {Uint8Array[]} parts @param {number} length */
function joined(parts, length) {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
