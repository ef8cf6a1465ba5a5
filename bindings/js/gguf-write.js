import { isPlain, requireBytes, requireObject, requireOptions, requireText } from './arguments.js';
import { PackedError, describe, refuse, requireWhole, unwrap } from './errors.js';
import { metadataField, requireUnicode } from './metadata-write.js';

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
 * The whole layout of a file before its first byte is written.
 * @param {any} core
 * @param {GgufToWrite} what
 */
export function planGguf(core, what) {
  const { metadata, tensors = [], alignment = 32 } = requireGguf(what);
  const fields = entriesOf(metadata).map(([key, value]) => metadataField(key, value));
  if (!Array.isArray(tensors)) refuse('tensors', 'an array', tensors);
  const infos = tensors.map((tensor, i) => {
    const { name, encoding, ne, shape, order } = requireObject(`tensors[${i}]`, tensor);
    if ((order ?? 'ROW_MAJOR') !== 'ROW_MAJOR') {
      throw new PackedError(
        'INVALID_ARGUMENT',
        `tensors[${i}] is ${order}; files hold ROW_MAJOR: pw.toCanonicalOrder(..) first`,
      );
    }
    return {
      name: requireUnicode(`name of tensors[${i}]`, name),
      encoding: requireText(`encoding of ${name}`, encoding),
      ne: sizesOf(name, ne, shape),
    };
  });
  return unwrap(core.planGguf(fields, infos, requireWhole('alignment', alignment)));
}

/** What splitGguf gives has a name besides. @param {GgufToWrite & { name?: string }} what */
export function requireGguf(what) {
  const kinds = /** @type {const} */ ({ metadata: '', tensors: '', alignment: '', name: 'string' });
  return requireOptions(requireObject('what', what), kinds, 'what');
}

/**
 * Metadata as pairs.
 * @param {GgufToWrite['metadata']} metadata
 */
export function entriesOf(metadata = {}) {
  const pairs =
    metadata !== null &&
    typeof metadata === 'object' &&
    Symbol.iterator in metadata &&
    !ArrayBuffer.isView(metadata);
  if (!pairs && !isPlain(metadata)) refuse('metadata', 'an object, a Map or pairs', metadata);
  const entries = pairs ? [...metadata] : Object.entries(metadata);
  entries.forEach((pair, i) => {
    if (!Array.isArray(pair) || pair.length !== 2) refuse(`metadata[${i}]`, '[key, value]', pair);
    requireUnicode(`key of metadata[${i}]`, pair[0]);
  });
  return entries;
}

/**
 * The sizes as stored, from either way of stating them.
 * @param {string} name
 * @param {readonly number[]} [ne]
 * @param {readonly number[]} [shape]
 */
function sizesOf(name, ne, shape) {
  const stored = wholes(`ne of ${name}`, ne);
  const turned = wholes(`shape of ${name}`, shape)?.reverse();
  const sizes = stored ?? turned;
  if (!sizes) {
    throw new PackedError('INVALID_ARGUMENT', `${name} needs its ne or its shape`, {
      tensor: name,
    });
  }
  if (turned && String(sizes) !== String(turned)) {
    throw new PackedError(
      'SHAPE_MISMATCH',
      `${name} has ne [${ne}] and shape [${shape}], which is not the same reversed: state one`,
      { tensor: name, expected: `ne [${turned}]`, actual: `ne [${sizes}]` },
    );
  }
  return sizes;
}

/**
 * @param {string} what
 * @param {readonly number[]} [sizes]
 */
function wholes(what, sizes) {
  if (sizes === undefined || sizes === null) return undefined;
  if (!Array.isArray(sizes)) refuse(what, 'an array', sizes);
  return sizes.map((size) => requireWhole(what, size));
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
    const named = `bytes of ${tensor.name}`;
    const parts = typeof tensor.bytes === 'function' ? tensor.bytes() : [tensor.bytes];
    if (!isIterable(parts)) refuse(`what gives ${named}`, 'an iterable of Uint8Arrays', parts);
    let written = 0;
    for await (const some of parts) {
      const part = bytesOf(tensor, some);
      written += part.length;
      if (written > byteLength) break;
      yield part;
    }
    requireLength(tensor, byteLength, written);
    if (paddingAfter > 0) yield new Uint8Array(paddingAfter);
  }
}

/** @param {TensorToWrite} tensor @param {unknown} bytes */
const bytesOf = ({ name, encoding }, bytes) => requireBytes(`bytes of ${name}`, bytes, encoding);

/** @param {any} parts */
const isIterable = (parts) =>
  typeof parts !== 'string' &&
  !ArrayBuffer.isView(parts) &&
  typeof (parts?.[Symbol.asyncIterator] ?? parts?.[Symbol.iterator]) === 'function';

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
    const bytes = bytesOf(tensor, tensor.bytes);
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
