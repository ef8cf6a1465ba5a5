/**
 * The value types of GGUF metadata, in the order of their numbers in files: how one of a fixed size is
 * read from and written to a DataView. Strings and arrays have no fixed size.
 * @type {Record<string, { id: number, size?: number,
 *   read?: (view: DataView, at: number, little: boolean) => any,
 *   write?: (view: DataView, at: number, value: any) => void }>}
 */
export const metadataTypes = {
  u8: { id: 0, ...fixed(1, 'Uint8') },
  i8: { id: 1, ...fixed(1, 'Int8') },
  u16: { id: 2, ...fixed(2, 'Uint16') },
  i16: { id: 3, ...fixed(2, 'Int16') },
  u32: { id: 4, ...fixed(4, 'Uint32') },
  i32: { id: 5, ...fixed(4, 'Int32') },
  f32: { id: 6, ...fixed(4, 'Float32') },
  bool: {
    id: 7,
    size: 1,
    read: (view, at) => view.getUint8(at) !== 0,
    write: (view, at, value) => view.setUint8(at, value ? 1 : 0),
  },
  string: { id: 8 },
  array: { id: 9 },
  u64: { id: 10, ...wide('BigUint64') },
  i64: { id: 11, ...wide('BigInt64') },
  f64: { id: 12, ...fixed(8, 'Float64') },
};

/** The name of a type by its number. */
export const metadataTypeNames = Object.keys(metadataTypes);

/**
 * @param {number} size
 * @param {'Uint8' | 'Int8' | 'Uint16' | 'Int16' | 'Uint32' | 'Int32' | 'Float32' | 'Float64'} kind
 */
function fixed(size, kind) {
  return {
    size,
    read: (/** @type {any} */ view, /** @type {number} */ at, /** @type {boolean} */ little) =>
      view[`get${kind}`](at, little),
    write: (
      /** @type {any} */ view,
      /** @type {number} */ at,
      /** @type {number | bigint} */ value,
    ) => view[`set${kind}`](at, Number(value), true),
  };
}

/** @param {'BigUint64' | 'BigInt64'} kind */
function wide(kind) {
  return {
    size: 8,
    // A number where it is exact, a bigint beyond.
    read: (/** @type {any} */ view, /** @type {number} */ at, /** @type {boolean} */ little) => {
      const value = view[`get${kind}`](at, little);
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    },
    write: (
      /** @type {any} */ view,
      /** @type {number} */ at,
      /** @type {number | bigint} */ value,
    ) => view[`set${kind}`](at, BigInt(value), true),
  };
}
