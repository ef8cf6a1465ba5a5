import { refuse } from './errors.js';
import { metadataTypeNames, metadataTypes } from './metadata-types.js';

/**
 * A metadata value: whole numbers beyond 2^53 are bigints, arrays are MetadataArray.
 * @typedef {number | bigint | boolean | string | MetadataArray} MetadataValue
 */

/**
 * Where a value stands in the header.
 * @typedef {{ key: string, type: string, elementType: string, count: number, offset: number,
 *   byteLength: number }} MetadataEntry
 */

// A byte order mark is part of its text.
const text = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Metadata by key, in the order of the file; of equal keys the first.
 * @param {Uint8Array} header the file's first bytes
 * @param {boolean} littleEndian
 * @param {MetadataEntry[]} entries
 * @returns {Map<string, MetadataValue>}
 */
export function readMetadata(header, littleEndian, entries) {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const metadata = new Map();
  for (const entry of entries) {
    if (metadata.has(entry.key)) continue;
    metadata.set(entry.key, valueOf(view, littleEndian, entry));
  }
  return metadata;
}

/**
 * A value exactly as a file holds it, to be written again: type number and bytes, untouched.
 */
export class StoredValue {
  static name = 'StoredValue';

  /**
   * @param {number} type
   * @param {Uint8Array} bytes
   */
  constructor(type, bytes) {
    this.type = type;
    this.bytes = bytes;
  }
}

/**
 * The same metadata as stored: nothing is decoded, so that writing it again changes nothing.
 * @param {Uint8Array} header
 * @param {MetadataEntry[]} entries
 * @returns {Map<string, StoredValue>}
 */
export function storedMetadata(header, entries) {
  const stored = new Map();
  for (const { key, type, offset, byteLength } of entries) {
    if (stored.has(key)) continue;
    // `offset` is behind the length of a string, and behind type and count of an array.
    const head = type === 'string' ? 8 : type === 'array' ? 12 : 0;
    const bytes = header.subarray(offset - head, offset + byteLength);
    stored.set(key, new StoredValue(metadataTypes[type].id, bytes));
  }
  return stored;
}

/**
 * @param {DataView} view
 * @param {boolean} littleEndian
 * @param {MetadataEntry} entry
 * @returns {MetadataValue}
 */
function valueOf(view, littleEndian, { type, elementType, count, offset, byteLength }) {
  if (type === 'string') return textAt(view, offset, byteLength);
  if (type === 'array') return new MetadataArray(view, littleEndian, elementType, count, offset);
  return metadataTypes[type].read?.(view, offset, littleEndian);
}

/**
 * @param {DataView} view
 * @param {number} offset
 * @param {number} length
 */
function textAt(view, offset, length) {
  return text.decode(new Uint8Array(view.buffer, view.byteOffset + offset, length));
}

/**
 * An array of the metadata, read element by element when asked: a vocabulary of 150,000 tokens costs
 * nothing until somebody looks at it. Iterable; `toArray()` gives all.
 */
export class MetadataArray {
  static name = 'MetadataArray';

  #view;
  #littleEndian;
  #offset;
  /** @type {Float64Array | undefined} where each element of no fixed size begins */
  #starts;

  /**
   * @internal
   * @param {DataView} view
   * @param {boolean} littleEndian
   * @param {string} elementType
   * @param {number} length
   * @param {number} offset
   */
  constructor(view, littleEndian, elementType, length, offset) {
    this.#view = view;
    this.#littleEndian = littleEndian;
    this.#offset = offset;
    /** @readonly u8, i8, u16, i16, u32, i32, f32, bool, string, array, u64, i64 or f64 */
    this.elementType = elementType;
    /** @readonly */
    this.length = length;
  }

  /**
   * @param {number} index negative ones count from the end
   * @returns {MetadataValue | undefined}
   */
  at(index) {
    if (!Number.isInteger(index)) refuse('index', 'a whole number', index);
    const i = index < 0 ? this.length + index : index;
    if (i < 0 || i >= this.length) return undefined;
    const size = metadataTypes[this.elementType]?.size;
    return this.#read(size === undefined ? this.#indexed()[i] : this.#offset + i * size).value;
  }

  /** @returns {IterableIterator<MetadataValue>} */
  *[Symbol.iterator]() {
    let at = this.#offset;
    for (let i = 0; i < this.length; ++i) {
      const { value, end } = this.#read(at);
      yield value;
      at = end;
    }
  }

  /** @returns {MetadataValue[]} */
  toArray() {
    const values = new Array(this.length);
    let at = this.#offset;
    for (let i = 0; i < this.length; ++i) {
      const { value, end } = this.#read(at);
      values[i] = value;
      at = end;
    }
    return values;
  }

  /** What JSON has no number for (64-bit integers, NaN, infinity) as text. */
  toJSON() {
    return this.toArray().map((value) =>
      typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
        ? String(value)
        : value,
    );
  }

  /**
   * @param {number} at
   * @returns {{ value: MetadataValue, end: number }}
   */
  #read(at) {
    const view = this.#view;
    if (this.elementType === 'string') {
      const length = Number(view.getBigUint64(at, this.#littleEndian));
      return { value: textAt(view, at + 8, length), end: at + 8 + length };
    }
    if (this.elementType === 'array') {
      const type = metadataTypeNames[view.getUint32(at, this.#littleEndian)];
      const count = Number(view.getBigUint64(at + 4, this.#littleEndian));
      const value = new MetadataArray(view, this.#littleEndian, type, count, at + 12);
      return { value, end: value.#end() };
    }
    const { size = 0, read } = metadataTypes[this.elementType];
    return { value: read?.(view, at, this.#littleEndian), end: at + size };
  }

  #end() {
    const size = metadataTypes[this.elementType]?.size;
    if (size !== undefined) return this.#offset + this.length * size;
    let at = this.#offset;
    for (let i = 0; i < this.length; ++i) at = this.#read(at).end;
    return at;
  }

  #indexed() {
    if (!this.#starts) {
      this.#starts = new Float64Array(this.length);
      let at = this.#offset;
      for (let i = 0; i < this.length; ++i) {
        this.#starts[i] = at;
        at = this.#read(at).end;
      }
    }
    return this.#starts;
  }
}
