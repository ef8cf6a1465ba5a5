import { PackedError, describe } from './errors.js';

/** @typedef {'ROW_MAJOR' | 'INPUT_BLOCK_MAJOR'} BlockOrder */

/**
 * The order that bytes are in. It cannot be seen in them, so it is never guessed.
 * @param {unknown} order
 * @returns {BlockOrder}
 */
export function requireOrder(order) {
  if (order === 'ROW_MAJOR' || order === 'INPUT_BLOCK_MAJOR') return order;
  if (order === undefined) {
    throw new PackedError(
      'ORDER_REQUIRED',
      "State the order of these bytes: 'ROW_MAJOR' for what a file or a quantizer gives, 'INPUT_BLOCK_MAJOR' for what has been prepacked",
      { expected: 'ROW_MAJOR or INPUT_BLOCK_MAJOR', actual: 'nothing' },
    );
  }
  throw new PackedError(
    'INVALID_ARGUMENT',
    `order must be 'ROW_MAJOR' or 'INPUT_BLOCK_MAJOR', not ${describe(order)}`,
  );
}

/**
 * Bytes as a Uint8Array over the same memory.
 * @param {string} name what the argument is called
 * @param {unknown} bytes
 * @returns {Uint8Array}
 */
export function requireBytes(name, bytes) {
  if (bytes instanceof Uint8Array) return bytes;
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  if (ArrayBuffer.isView(bytes)) {
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  throw new PackedError(
    'INVALID_ARGUMENT',
    `${name} must be a Uint8Array or ArrayBuffer, not ${describe(bytes)}`,
  );
}

/**
 * @param {string} name
 * @param {unknown} floats
 * @returns {Float32Array}
 */
export function requireFloats(name, floats) {
  if (floats instanceof Float32Array) return floats;
  throw new PackedError(
    'INVALID_ARGUMENT',
    `${name} must be a Float32Array, not ${describe(floats)}`,
  );
}
