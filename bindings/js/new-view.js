import {
  requireBytes,
  requireObject,
  requireOptions,
  requireOrder,
  requireShape,
} from './arguments.js';
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
 * @param {{ encoding?: string, shape?: number[], order?: import('./arguments.js').BlockOrder, scope?: Scope }
 *   | undefined} options
 */
export function viewOf(context, encodings, source, options) {
  const tagged = source instanceof PackedBytes;
  // Tagged bytes say themselves what they are: another label would not be heard.
  const given = requireOptions(
    options,
    /** @type {any} */ (
      tagged ? { scope: 'object' } : { encoding: '', shape: '', order: '', scope: 'object' }
    ),
  );
  const { bytes, encoding, shape, order } = tagged
    ? {
        ...source,
        bytes: requireBytes('bytes', source.bytes),
        shape: [source.out, source.inputDim],
      }
    : { ...given, bytes: requireBytes('bytes', source, given.encoding) };
  const sizes = requireSize(encodings, encoding, shape, bytes);
  const own = given.scope === undefined;
  const scope = given.scope ?? new Scope(context, { name: `${encoding} [${sizes.join(', ')}]` });
  try {
    const view = emptyView(context, encodings, { encoding, shape, order, scope });
    writeInto(context, view, 0, bytes);
    return own ? View.owning(view) : view;
  } catch (error) {
    if (own) scope.close();
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
 * @returns {number[]} the shape
 */
function requireSize(encodings, encoding, shape, bytes) {
  const { name, elements, bytes: blockBytes } = requireEncoding(encodings, encoding);
  const sizes = requireShape(shape);
  const size = (sizes.reduce((product, n) => product * n, 1) / elements) * blockBytes;
  const whole = Number.isSafeInteger(size) && (sizes.at(-1) ?? 0) % elements === 0;
  if (!whole || size === bytes.length) return sizes;
  throw new PackedError(
    'SIZE_MISMATCH',
    `${name} [${sizes.join(', ')}] is ${size} bytes, not ${bytes.length}`,
    { expected: `${size} bytes`, actual: `${bytes.length} bytes` },
  );
}

/**
 * @param {Context} context
 * @param {Encodings} encodings
 * @param {{ encoding: unknown, shape: unknown, order: unknown, scope: Scope }} what
 */
export function emptyView(context, encodings, what) {
  const { encoding, shape, order, scope } = requireObject('what', what);
  const { name } = requireEncoding(encodings, encoding);
  const sizes = requireShape(shape);
  const handle = context.core.makeView(Scope.handleOf(scope), name, sizes, requireOrder(order));
  return new View(context, unwrap(handle), scope);
}

/**
 * @param {Context} context
 * @param {View} view
 * @param {number} offset from the start of the view's storage
 * @param {Uint8Array | ArrayBuffer} from
 */
export function writeInto({ core, heap }, view, offset, from) {
  const handle = View.handleOf(view);
  const bytes = requireBytes('bytes', from, view.encoding);
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
