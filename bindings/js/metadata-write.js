import { requireText } from './arguments.js';
import { PackedError, describe, refuse } from './errors.js';
import { metadataTypes } from './metadata-types.js';
import { MetadataArray, StoredValue } from './metadata.js';

/**
 * A value to write. Strings and booleans are themselves; a whole number becomes u32, i32, u64 or i64, the
 * first that holds it, any other number f32; arrays hold values of one such type, f64 where an f32 would be another whole number. `{ type, value }` states the
 * type ('u8', 'f64', ...; for arrays that of the elements).
 * A StoredValue (`GgufFile.storedMetadata`) is written as it is.
 * @typedef {import('./metadata.js').MetadataValue | StoredValue | WritableValue[] | { type: string, value: unknown }} WritableValue
 */

/**
 * @param {string} key
 * @param {WritableValue} value
 * @returns {{ key: string, type: number, value: Uint8Array }}
 */
export function metadataField(key, value) {
  if (value instanceof StoredValue) return { key, type: value.type, value: value.bytes };
  const { type, elements, one } = typed(key, value);
  if (elements === null)
    return { key, type: metadataTypes[type].id, value: encode(key, type, [one]) };
  const head = new Uint8Array(12);
  const view = new DataView(head.buffer);
  view.setUint32(0, metadataTypes[type].id, true);
  view.setBigUint64(4, BigInt(elements.length), true);
  return {
    key,
    type: metadataTypes.array.id,
    value: joined([head, encode(key, type, elements)]),
  };
}

/**
 * @param {string} key
 * @param {any} value
 * @returns {{ type: string, elements: any[] | null, one?: any }}
 */
function typed(key, value) {
  if (value instanceof MetadataArray) return { type: value.elementType, elements: value.toArray() };
  if (Array.isArray(value)) return { type: commonType(key, value), elements: value };
  if (value !== null && typeof value === 'object' && 'type' in value) {
    const type = requireType(key, value.type);
    return Array.isArray(value.value)
      ? { type, elements: value.value }
      : { type, elements: null, one: value.value };
  }
  return { type: typeOf(key, value), elements: null, one: value };
}

/** @param {string} key @param {unknown} value */
function typeOf(key, value) {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint' || (Number.isInteger(value) && inWords(Number(value)))) {
    const whole = BigInt(/** @type {number} */ (value));
    if (whole >= 0n) return whole < 1n << 32n ? 'u32' : 'u64';
    return whole >= -(1n << 31n) ? 'i32' : 'i64';
  }
  if (typeof value === 'number') return 'f32';
  throw new PackedError('INVALID_ARGUMENT', `metadata ${key} cannot be ${describe(value)}`);
}

/** @param {any} value */
const isRounded = (value) => Number.isInteger(value) && Math.fround(value) !== value;

/** Whether 64 bits hold a whole number. @param {number} value */
const inWords = (value) => value >= -(2 ** 63) && value < 2 ** 64;

/** @param {string} key @param {unknown[]} values */
function commonType(key, values) {
  const types = new Set(values.map((value) => typeOf(key, value)));
  if (types.size <= 1) return [...types][0] ?? 'i32';
  const numbers = ['u32', 'i32', 'u64', 'i64', 'f32'];
  if (![...types].every((type) => numbers.includes(type))) {
    throw new PackedError('INVALID_ARGUMENT', `metadata ${key} mixes ${[...types].join(' and ')}`);
  }
  // Fractions are rounded, whole numbers are not.
  if (types.has('f32')) return values.some(isRounded) ? 'f64' : 'f32';
  const ends = values.map((value) => BigInt(/** @type {number} */ (value)));
  const [least, most] = ends.reduce(
    ([low, high], n) => [n < low ? n : low, n > high ? n : high],
    [0n, 0n],
  );
  if (least === 0n) return 'u64';
  return least >= -(1n << 31n) && most < 1n << 31n ? 'i32' : 'i64';
}

/** @param {string} key @param {unknown} type */
function requireType(key, type) {
  const types = Object.keys(metadataTypes).filter((name) => name !== 'array');
  if (typeof type === 'string' && types.includes(type)) return type;
  throw new PackedError(
    'INVALID_ARGUMENT',
    `metadata ${key} cannot be of type ${describe(type)}, only ${types.join(', ')}; of an array, that is the type of its elements`,
  );
}

/**
 * @param {string} key
 * @param {string} type
 * @param {any[]} values
 */
function encode(key, type, values) {
  for (const value of values) requireKind(key, type, value);
  if (type === 'string') return joined(values.flatMap((value) => textParts(value)));
  const { size, write, read } = metadataTypes[type];
  if (size === undefined) {
    throw new PackedError('INVALID_ARGUMENT', `metadata ${key}: arrays of arrays are not written`);
  }
  const bytes = new Uint8Array(size * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    write?.(view, i * size, value);
    const kept = read?.(view, i * size, true);
    // What does not fit its type would be written as another number. An f32 is rounded, no further.
    const fits = type === 'f32' ? Number.isFinite(kept) === Number.isFinite(value) : kept == value;
    if (!fits && !Number.isNaN(value)) throw unfit(key, type, value);
  });
  return bytes;
}

/**
 * A value that would be made another by being written: a text into a number, a number into a bool.
 * @param {string} key
 * @param {string} type
 * @param {unknown} value
 */
function requireKind(key, type, value) {
  const kind = typeof value;
  if (type === 'string') {
    if (kind === type) return void requireUnicode(`metadata ${key}`, value);
  } else if (type === 'bool') {
    if (kind === 'boolean') return;
  } else if (type.startsWith('f')) {
    if (kind === 'number') return;
  } else if (kind === 'bigint' || Number.isInteger(value)) return;
  throw unfit(key, type, value);
}

/**
 * Text that is the same once it is written: encoded, half of a pair of surrogates becomes another character.
 * @param {string} name
 * @param {unknown} text
 */
export function requireUnicode(name, text) {
  const checked = requireText(name, text);
  if (/** @type {any} */ (checked).isWellFormed?.() === false)
    refuse(name, 'text without lone surrogates', text);
  return checked;
}

/** @param {string} key @param {string} type @param {unknown} value */
const unfit = (key, type, value) =>
  new PackedError('INVALID_ARGUMENT', `metadata ${key}: ${describe(value)} is not a ${type}`);

/** @param {string} value */
function textParts(value) {
  const text = new TextEncoder().encode(value);
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(text.length), true);
  return [length, text];
}

/** @param {Uint8Array[]} parts */
function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
