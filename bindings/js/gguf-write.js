import { PackedError, requireWhole, unwrap } from './errors.js';
import { requireBytes } from './arguments.js';
import { metadataField } from './metadata-write.js';

/**
 * A tensor to write. `ne` as stored, fastest-varying first: [in, out, ...]; or `shape`, [..., out, in].
 * @typedef {object} TensorToWrite
 * @property {string} name
 * @property {string} encoding
 * @property {readonly number[]} [ne]
 * @property {readonly number[]} [shape]
 * @property {Uint8Array | ArrayBuffer | ArrayBufferView | (() => AsyncIterable<Uint8Array> | Iterable<Uint8Array>)} bytes
 *   ROW_MAJOR; a function gives them by parts, for streamGguf
 */

/**
 * @typedef {object} GgufToWrite
 * @property {Record<string, import('./metadata-write.js').WritableValue>
 *   | Iterable<[string, import('./metadata-write.js').WritableValue]>} [metadata]
 * @property {TensorToWrite[]} [tensors]
 * @property {number} [alignment]
 */

/**
 * The whole layout of a file before its first byte is written.
 * @param {any} core
 * @param {GgufToWrite} what
 */
export function planGguf(core, { metadata = {}, tensors = [], alignment = 32 }) {
  const entries = Symbol.iterator in metadata ? [...metadata] : Object.entries(metadata);
  const fields = entries.map(([key, value]) => metadataField(key, value));
  const infos = tensors.map(({ name, encoding, ne, shape }) => ({
    name: String(name),
    encoding: String(encoding),
    ne: (ne ?? [...(shape ?? [])].reverse()).map((size) => requireWhole(`ne of ${name}`, size)),
  }));
  return unwrap(core.planGguf(fields, infos, requireWhole('alignment', alignment)));
}

/**
 * The file as chunks, in its order.
 * @param {any} core
 * @param {GgufToWrite} what
 * @returns {AsyncGenerator<Uint8Array, void, void>}
 */
export async function* streamGguf(core, what) {
  const plan = planGguf(core, what);
  yield plan.header;
  for (const [i, { byteLength, paddingAfter }] of plan.tensors.entries()) {
    const tensor = /** @type {TensorToWrite[]} */ (what.tensors)[i];
    const parts =
      typeof tensor.bytes === 'function' ? tensor.bytes() : [requireBytes('bytes', tensor.bytes)];
    let written = 0;
    for await (const part of parts) {
      written += part.length;
      if (written > byteLength) break;
      yield part;
    }
    requireLength(tensor, byteLength, written);
    if (paddingAfter > 0) yield new Uint8Array(paddingAfter);
  }
}

/**
 * The file as one piece of memory.
 * @param {any} core
 * @param {GgufToWrite} what
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeGguf(core, what) {
  const plan = planGguf(core, what);
  const file = new Uint8Array(plan.totalBytes);
  file.set(plan.header);
  plan.tensors.forEach((/** @type {any} */ { offset, byteLength }, /** @type {number} */ i) => {
    const tensor = /** @type {TensorToWrite[]} */ (what.tensors)[i];
    const bytes = requireBytes(`bytes of ${tensor.name}`, tensor.bytes);
    requireLength(tensor, byteLength, bytes.length);
    file.set(bytes, offset);
  });
  return file;
}

/**
 * @param {TensorToWrite} tensor
 * @param {number} expected
 * @param {number} actual
 */
function requireLength({ name, encoding }, expected, actual) {
  if (expected === actual) return;
  throw new PackedError(
    'SIZE_MISMATCH',
    `${name} of ${encoding} takes ${expected} bytes, ${actual > expected ? 'more' : `only ${actual}`} were given`,
    { tensor: name, expected: `${expected} bytes`, actual: `${actual} bytes` },
  );
}
