import { requireBytes, requireOrder } from './arguments.js';
import { requireEncoding } from './encodings.js';
import { PackedError, requireWhole, unwrap } from './errors.js';
import { PackedBytes } from './packed-bytes.js';
import { Scope } from './scope.js';
import { View } from './view.js';

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./weights.js').Encodings} Encodings */

/**
 * A view over a copy of bytes. Without a scope it owns them.
 * @param {Context} context
 * @param {Encodings} encodings
 * @param {unknown} source
 * @param {{ encoding?: string, shape?: number[], order?: import('./arguments.js').BlockOrder, scope?: Scope }} options
 */
export function viewOf(context, encodings, source, options) {
  const { bytes, encoding, shape, order } =
    source instanceof PackedBytes
      ? { ...source, shape: [source.out, source.inputDim] }
      : { ...options, bytes: requireBytes('bytes', source) };
  const name = `${encoding} [${Array.isArray(shape) ? shape.join(', ') : ''}]`;
  const scope = options.scope ?? new Scope(context, { name });
  try {
    requireSize(encodings, encoding, shape, bytes, name);
    const view = emptyView(context, encodings, { encoding, shape, order, scope });
    writeInto(context, view, 0, bytes);
    return options.scope ? view : View.owning(view);
  } catch (error) {
    if (!options.scope) scope.close();
    throw error;
  }
}

/**
 * Before anything is allocated: what is refused must leave nothing in the caller's scope. Shapes that have no
 * size at all are refused by emptyView.
 * @param {Encodings} encodings
 * @param {unknown} encoding
 * @param {unknown} shape
 * @param {Uint8Array} bytes
 * @param {string} name
 */
function requireSize(encodings, encoding, shape, bytes, name) {
  const { elements, bytes: blockBytes } = requireEncoding(encodings, encoding);
  if (!Array.isArray(shape)) return;
  const size = (shape.reduce((product, n) => product * n, 1) / elements) * blockBytes;
  if (!Number.isSafeInteger(size) || shape.at(-1) % elements !== 0 || size === bytes.length) return;
  throw new PackedError('SIZE_MISMATCH', `${name} is ${size} bytes, not ${bytes.length}`, {
    expected: `${size} bytes`,
    actual: `${bytes.length} bytes`,
  });
}

/**
 * @param {Context} context
 * @param {Encodings} encodings
 * @param {{ encoding: unknown, shape: unknown, order: unknown, scope: Scope }} what
 */
export function emptyView(context, encodings, { encoding, shape, order, scope }) {
  const { name } = requireEncoding(encodings, encoding);
  if (!Array.isArray(shape)) {
    throw new PackedError(
      'INVALID_ARGUMENT',
      'shape must be given: [out, in] or [experts, out, in]',
    );
  }
  shape.forEach((size, axis) => requireWhole(`shape[${axis}]`, size));
  const handle = context.core.makeView(Scope.handleOf(scope), name, shape, requireOrder(order));
  return new View(context, unwrap(handle), scope);
}

/**
 * @param {Context} context
 * @param {View} view
 * @param {number} offset from the start of the view's storage
 * @param {Uint8Array} bytes
 */
export function writeInto({ core, heap }, view, offset, bytes) {
  const handle = View.handleOf(view);
  const address = unwrap(core.writableStorageAddress(handle));
  const size = core.storageSize(handle);
  if (requireWhole('offset', offset) + bytes.length > size) {
    throw new PackedError(
      'OUT_OF_RANGE',
      `${bytes.length} bytes at ${offset} do not fit a storage of ${size} bytes`,
      { offset },
    );
  }
  heap.bytes(address + offset, bytes.length).set(bytes);
}
