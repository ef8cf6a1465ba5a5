import { PackedError, refuse, requireOneOf, requireWhole } from './errors.js';

/** @typedef {'ROW_MAJOR' | 'INPUT_BLOCK_MAJOR'} BlockOrder */

/**
 * The order that bytes are in. It cannot be seen in them, so it is never guessed.
 * @param {unknown} order
 * @returns {BlockOrder}
 */
export function requireOrder(order) {
  if (order === undefined) {
    throw new PackedError(
      'ORDER_REQUIRED',
      "State the order of these bytes: 'ROW_MAJOR' for what a file or a quantizer gives, 'INPUT_BLOCK_MAJOR' for what has been prepacked",
      { expected: 'ROW_MAJOR or INPUT_BLOCK_MAJOR', actual: 'nothing' },
    );
  }
  return requireOneOf('order', order, /** @type {const} */ (['ROW_MAJOR', 'INPUT_BLOCK_MAJOR']));
}

/**
 * Bytes as a Uint8Array over the same memory. Numbers of another kind are none: nobody knows how they were meant.
 * @param {string} name what the argument is called
 * @param {unknown} bytes
 * @param {unknown} [encoding] of what they are: a Float32Array is the bytes of F32, and so on
 * @returns {Uint8Array}
 */
export function requireBytes(name, bytes, encoding) {
  const isView = ArrayBuffer.isView(bytes);
  const taken = isView ? isByteOf(bytes, encoding) : bytes instanceof ArrayBuffer;
  if (!taken) refuse(name, 'a Uint8Array or ArrayBuffer', bytes);
  try {
    // Engines refuse it where the memory was made smaller, too.
    if (isView) /** @type {any} */ (bytes).at?.(0);
    const { buffer, byteOffset, byteLength } = isView
      ? bytes
      : new Uint8Array(/** @type {ArrayBuffer} */ (bytes));
    const all = new Uint8Array(buffer, byteOffset, byteLength);
    return bytes instanceof Uint8Array ? bytes : all;
  } catch {
    throw new PackedError(
      'INVALID_ARGUMENT',
      `The memory of ${name} was transferred or made smaller`,
    );
  }
}

/** Whether what an array holds is bytes, or values of the encoding. @param {any} array @param {unknown} encoding */
function isByteOf({ BYTES_PER_ELEMENT, [Symbol.toStringTag]: kind }, encoding) {
  const [, letter, bits] = /^(?:Big)?([FI])[a-z]+(\d+)/.exec(kind) ?? [];
  return (
    !(BYTES_PER_ELEMENT > 1) ||
    letter + bits === encoding ||
    (kind === 'Uint16Array' && /F16$/.test(String(encoding)))
  );
}

/**
 * @param {string} name
 * @param {unknown} floats
 * @returns {Float32Array}
 */
export function requireFloats(name, floats) {
  if (!(floats instanceof Float32Array)) refuse(name, 'a Float32Array', floats);
  // What was transferred has no length either.
  if (floats.length === 0) requireBytes(name, floats, 'F32');
  return floats;
}

/**
 * @param {string} name
 * @param {unknown} text
 * @returns {string}
 */
export function requireText(name, text) {
  if (typeof text === 'string') return text;
  refuse(name, 'a string', text);
}

/**
 * @param {unknown} shape
 * @returns {number[]}
 */
export function requireShape(shape) {
  if (!Array.isArray(shape)) refuse('shape', 'an array: [out, in] or [experts, out, in]', shape);
  return shape.map((size, axis) => requireWhole(`shape[${axis}]`, size));
}

/** Whether something is what braces make, in whatever realm. @param {unknown} value @returns {value is object} */
export function isPlain(value) {
  if (value === null || typeof value !== 'object') return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Options, checked. A name that is not in `kinds` is refused: nobody would read it, and the call would do something
 * else than was asked for. Null stands for no object and no function; for a number, a word, true or false it does not.
 * @template {object} Options
 * @param {Options | null | undefined} options
 * @param {Record<keyof Options, 'boolean' | 'function' | 'string' | 'object' | ''>} kinds what typeof says of each;
 *   'object' and '' where whoever takes it looks closer
 * @param {string} [what] they are called
 * @returns {Options}
 */
export function requireOptions(options, kinds, what = 'options') {
  const names = Object.keys(kinds).join(', ');
  const from = options ?? {};
  if (!isPlain(from)) refuse(what, `an object of ${names}`, from);
  /** @type {any} */
  const given = {};
  for (const [name, value] of Object.entries(from)) {
    if (!Object.hasOwn(kinds, name)) {
      throw new PackedError('INVALID_ARGUMENT', `${what} cannot have '${name}', only ${names}`);
    }
    const kind = kinds[/** @type {keyof Options} */ (name)];
    const absent = value === null && (kind === 'object' || kind === 'function');
    if (value === undefined || absent) continue;
    if (kind && kind !== 'object' && typeof value !== kind) refuse(name, `a ${kind}`, value);
    given[name] = value;
  }
  return given;
}

/**
 * What says what something is; its parts are all needed, and asked for by whoever takes it.
 * @template What
 * @param {string} name
 * @param {What} what
 * @returns {NonNullable<What>}
 */
export function requireObject(name, what) {
  if (what !== null && typeof what === 'object') return what;
  refuse(name, 'an object', what);
}
