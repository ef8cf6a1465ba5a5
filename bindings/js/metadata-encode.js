import { requireText } from './arguments.js';
import { PackedError, describe, refuse } from './errors.js';
import { metadataTypes } from './metadata-types.js';

const encoder = new TextEncoder();

/**
 * Values of one type as a file holds them, one after the other.
 * @param {string} key
 * @param {string} type
 * @param {any[]} values
 * @param {number} head bytes to leave in front
 * @param {(size: number) => void} requireRoom is asked before anything of that size is made
 */
export function encode(key, type, values, head, requireRoom) {
  if (type === 'string') return encodeTexts(key, values, head, requireRoom);
  const { size, write, read } = metadataTypes[type];
  if (size === undefined) {
    throw new PackedError('INVALID_ARGUMENT', `metadata ${key}: arrays of arrays are not written`);
  }
  requireRoom(head + size * values.length);
  const bytes = new Uint8Array(head + size * values.length);
  const view = new DataView(bytes.buffer, head);
  // Not forEach, which passes over holes.
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    requireKind(key, type, value);
    write?.(view, i * size, value);
    const kept = read?.(view, i * size, true);
    // What does not fit its type would be written as another number. An f32 is rounded, no further.
    const fits = type === 'f32' ? Number.isFinite(kept) === Number.isFinite(value) : kept == value;
    if (!fits && !Number.isNaN(value)) throw unfit(key, type, value);
  }
  return bytes;
}

/**
 * @param {string} key
 * @param {any[]} texts
 * @param {number} head
 * @param {(size: number) => void} requireRoom
 */
function encodeTexts(key, texts, head, requireRoom) {
  let least = head;
  for (let i = 0; i < texts.length; ++i) {
    requireKind(key, 'string', texts[i]);
    least += 8 + texts[i].length;
  }
  requireRoom(least);
  const lengths = texts.map(utf8Length);
  const size = lengths.reduce((sum, length) => sum + 8 + length, head);
  requireRoom(size);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = head;
  texts.forEach((text, i) => {
    // The upper half stays zero: a header is far below 2^32 bytes.
    view.setUint32(at, lengths[i], true);
    encoder.encodeInto(text, bytes.subarray(at + 8));
    at += 8 + lengths[i];
  });
  return bytes;
}

/** How many bytes a text without lone surrogates takes. @param {string} text */
function utf8Length(text) {
  let length = text.length;
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    // Two units of a pair take four bytes together.
    if (code > 0x7f) length += code < 0x800 || (code & 0xf800) === 0xd800 ? 1 : 2;
  }
  return length;
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
    if (kind === type) return void (isUnicode(value) || requireUnicode(`metadata ${key}`, value));
  } else if (type === 'bool') {
    if (kind === 'boolean') return;
  } else if (type.startsWith('f')) {
    if (kind === 'number') return;
  } else if (kind === 'bigint' || Number.isInteger(value)) return;
  throw unfit(key, type, value);
}

/** @param {any} text */
const isUnicode = (text) => text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);

/**
 * Text that is the same once it is written: encoded, half of a pair of surrogates becomes another character.
 * @param {string} name
 * @param {unknown} text
 */
export function requireUnicode(name, text) {
  const checked = requireText(name, text);
  if (!isUnicode(checked)) refuse(name, 'text without lone surrogates', text);
  return checked;
}

/** @param {string} key @param {string} type @param {unknown} value */
const unfit = (key, type, value) =>
  new PackedError(
    'INVALID_ARGUMENT',
    `metadata ${key}: ${describe(value)} is not a ${type}${ArrayBuffer.isView(value) ? ': value: [...array] holds its elements' : ''}`,
  );
