import { isPlain, requireOptions } from './arguments.js';
import { PackedError, describe } from './errors.js';
import { encode } from './metadata-encode.js';
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
 * Metadata as it will stand in a file.
 * @param {[string, WritableValue][]} entries
 * @param {number} most bytes that a header may have: more is refused before it is made
 * @returns {{ key: string, type: number, value: Uint8Array }[]}
 */
export function metadataFields(entries, most) {
  let size = 0;
  return entries.map(([key, value]) => {
    size += key.length;
    const requireRoom = (/** @type {number} */ more) => {
      if (size + more <= most) return;
      throw new PackedError(
        'LIMIT_EXCEEDED',
        `The metadata up to ${key.slice(0, 80)} takes ${size + more} bytes or more, beyond the ${most} of a header that can be read again`,
      );
    };
    const field = metadataField(key, value, requireRoom);
    requireRoom(field.value.length);
    size += field.value.length;
    return field;
  });
}

/**
 * @param {string} key
 * @param {WritableValue} value
 * @param {(size: number) => void} requireRoom
 * @returns {{ key: string, type: number, value: Uint8Array }}
 */
function metadataField(key, value, requireRoom) {
  if (value instanceof StoredValue) return { key, type: value.type, value: value.bytes };
  const { type, elements, one } = typed(key, value);
  if (elements === null)
    return { key, type: metadataTypes[type].id, value: encode(key, type, [one], 0, requireRoom) };
  const bytes = encode(key, type, elements, 12, requireRoom);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, metadataTypes[type].id, true);
  view.setBigUint64(4, BigInt(elements.length), true);
  return { key, type: metadataTypes.array.id, value: bytes };
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
    if (isPlain(value)) requireOptions(value, { type: '', value: '' }, `metadata ${key}`);
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
  throw new PackedError(
    'INVALID_ARGUMENT',
    `metadata ${key} cannot be ${describe(value)}: ${instead(value)}`,
  );
}

/** What to write in place of something that is no value. @param {any} value */
function instead(value) {
  if (!ArrayBuffer.isView(value))
    return 'it is text, a number, a bigint, true or false, an array of one of these, or { type, value }';
  const [, letter, bits] =
    /^(?:Big)?([UIF])[a-z]+(\d+)/i.exec(/** @type {any} */ (value)[Symbol.toStringTag]) ?? [];
  const type = `${letter}${bits}`.toLowerCase();
  return `give { type: '${Object.hasOwn(metadataTypes, type) ? type : 'f32'}', value: [...array] }`;
}

/** @param {any} value */
const isRounded = (value) => Number.isInteger(value) && Math.fround(value) !== value;

/** Whether 64 bits hold a whole number. @param {number} value */
const inWords = (value) => value >= -(2 ** 63) && value < 2 ** 64;

/** @param {string} key @param {unknown[]} values */
function commonType(key, values) {
  // Not map, which passes over holes.
  const types = new Set(Array.from(values, (value) => typeOf(key, value)));
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
