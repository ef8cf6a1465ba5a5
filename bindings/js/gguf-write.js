import { requireBytes } from './arguments.js';
import { PackedError, isKept, reasonOf, refuse } from './errors.js';
import { planGguf, tensorsOf } from './gguf-plan.js';

/**
 * A tensor to write. `ne` as stored, fastest-varying first: [in, out, ...]; or `shape`, [..., out, in].
 * @typedef {object} TensorToWrite
 * @property {string} name
 * @property {string} encoding
 * @property {readonly number[]} [ne]
 * @property {readonly number[]} [shape]
 * @property {'ROW_MAJOR'} [order] of the bytes: what files hold
 * @property {Uint8Array | ArrayBuffer | ArrayBufferView | (() => AsyncIterable<Uint8Array> | Iterable<Uint8Array>)} bytes
 *   ROW_MAJOR; of F32 also a Float32Array, and so on; a function gives them by parts, for streamGguf
 */

/**
 * @typedef {object} GgufToWrite
 * @property {Record<string, import('./metadata-write.js').WritableValue>
 *   | Iterable<[string, import('./metadata-write.js').WritableValue]>} [metadata]
 * @property {TensorToWrite[]} [tensors]
 * @property {number} [alignment]
 */

/**
 * The file as chunks, in its order.
 * @param {import('./context.js').Context} context
 * @param {GgufToWrite} what
 * @returns {AsyncGenerator<Uint8Array, void, void>}
 */
export function streamGguf({ core, heap }, what) {
  return chunksOf({ core, heap }, what);
}

/**
 * @param {Pick<import('./context.js').Context, 'core' | 'heap'>} context
 * @param {GgufToWrite} what
 * @returns {AsyncGenerator<Uint8Array, void, void>}
 */
async function* chunksOf(context, what) {
  const { header, tensors } = planned(context, what);
  for (const { tensor, byteLength } of tensors)
    if (typeof tensor.bytes !== 'function') wholeBytes(tensor, byteLength);
  yield header;
  for (const { tensor, byteLength, paddingAfter } of tensors) {
    if (typeof tensor.bytes === 'function') yield* partsOf(tensor, byteLength);
    else yield wholeBytes(tensor, byteLength);
    if (paddingAfter > 0) yield new Uint8Array(paddingAfter);
  }
}

/**
 * The file as one piece of memory.
 * @param {import('./context.js').Context} context
 * @param {GgufToWrite} what
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeGguf(context, what) {
  const { header, tensors, totalBytes } = planned(context, what);
  const pieces = tensors.map(({ tensor, byteLength, offset }) => {
    if (typeof tensor.bytes !== 'function')
      return { offset, bytes: wholeBytes(tensor, byteLength) };
    refuse(
      `bytes of ${tensor.name}`,
      'a Uint8Array or ArrayBuffer (streamGguf also takes a function that gives them by parts)',
      tensor.bytes,
    );
  });
  const file = room(totalBytes);
  file.set(header);
  for (const { offset, bytes } of pieces) file.set(bytes, offset);
  return file;
}

/**
 * The plan of a file, its tensors with the places where they go.
 * @param {Pick<import('./context.js').Context, 'core' | 'heap'>} context
 * @param {GgufToWrite} what
 * @returns {{ header: Uint8Array, totalBytes: number, tensors: { tensor: TensorToWrite,
 *   offset: number, byteLength: number, paddingAfter: number }[] }}
 */
function planned(context, what) {
  const plan = planGguf(context, what);
  // Now: who streams may change the list meanwhile.
  const tensors = tensorsOf(what.tensors).map((tensor, i) => ({ tensor, ...plan.tensors[i] }));
  return { ...plan, tensors };
}

/** @param {number} size */
function room(size) {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new PackedError(
      'OUT_OF_MEMORY',
      `No memory for ${size} bytes of a file in one piece: write it by chunks with streamGguf`,
      { cause },
    );
  }
}

/** @param {TensorToWrite} tensor @param {unknown} bytes */
const bytesOf = ({ name, encoding }, bytes) => requireBytes(`bytes of ${name}`, bytes, encoding);

/**
 * @param {TensorToWrite} tensor
 * @param {number} byteLength that its encoding and sizes make
 */
function wholeBytes(tensor, byteLength) {
  const bytes = bytesOf(tensor, tensor.bytes);
  requireLength(tensor, byteLength, bytes.length);
  return bytes;
}

/**
 * @param {TensorToWrite} tensor
 * @param {number} byteLength
 */
async function* partsOf(tensor, byteLength) {
  let written = 0;
  for await (const some of given(tensor, () => written)) {
    const part = bytesOf(tensor, some);
    written += part.length;
    if (written > byteLength) break;
    if (part.length > 0) yield part;
  }
  requireLength(tensor, byteLength, written);
}

/**
 * What the function of a tensor gives. What it throws is told with the place that it was thrown at.
 * @param {TensorToWrite} tensor
 * @param {() => number} written
 */
async function* given({ name, bytes }, written) {
  try {
    const parts = /** @type {Function} */ (bytes)();
    if (!isIterable(parts))
      refuse(`what gives bytes of ${name}`, 'an iterable of Uint8Arrays', parts);
    yield* parts;
  } catch (cause) {
    if (isKept(cause)) throw cause;
    throw new PackedError(
      'IO_FAILED',
      `What gives bytes of ${name} failed after ${written()} bytes (${reasonOf(cause)}): the file is not whole, write it again`,
      { tensor: name, cause },
    );
  }
}

/** @param {any} parts */
const isIterable = (parts) =>
  typeof parts !== 'string' &&
  !ArrayBuffer.isView(parts) &&
  typeof (parts?.[Symbol.asyncIterator] ?? parts?.[Symbol.iterator]) === 'function';

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
