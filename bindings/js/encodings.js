import { PackedError, describe } from './errors.js';

/**
 * A field of a block.
 * @typedef {object} BlockField
 * @property {string} name as ggml's struct calls it: "d", "qs"
 * @property {number} offset in the block
 * @property {number} bytes
 * @property {string} type of one element: f16, f32, u8, i8, u16, i16, u32, e8m0 or ue4m3
 * @property {string} meaning
 */

/**
 * The sizes of an encoding.
 * @typedef {object} Encoding
 * @property {string} name as GGUF spells it
 * @property {number} ggmlType the number in a GGUF tensor info
 * @property {number} elements values per block
 * @property {number} bytes bytes per block
 * @property {number} group values of a block that share the innermost scale
 * @property {boolean} blocked whether blocks hold codes and scales, and not one plain value
 * @property {boolean} quantizable whether `quantize` writes it
 * @property {readonly BlockField[]} fields of one block in the order of its bytes, without gaps; none
 *   where a block is one plain value. Reading it, and so copying the whole, throws LOAD_FAILED before
 *   `pw.loadTools()`
 */

/**
 * What one bit of a block is. It concerns the values first + k * stride, k = 0 .. span - 1.
 * @typedef {object} BlockBit
 * @property {string} field the name of the field that it stands in
 * @property {'FACTOR' | 'SCALE' | 'MINIMUM' | 'CODE' | 'INDEX' | 'SIGN' | 'SHIFT' | 'DIGITS' | 'SUM'} role a float that
 *   scales or offsets; a group's integer scale or minimum; a value's code; a codebook index; signs; the shift of
 *   a group by an eighth (IQ1); base-3 digits (TQ1_0); a sum that no value depends on
 * @property {number} significance which bit of its number it is, 0 the lowest
 * @property {number} first
 * @property {number} span
 * @property {number} stride
 */

/**
 * Every encoding by its name, frozen.
 * @param {import('./context.js').Context} context
 * @returns {Readonly<Record<string, Readonly<Encoding>>>}
 */
export function listEncodings(context) {
  const entries = context.core.encodings().map((/** @type {Encoding} */ encoding) => {
    const { name } = encoding;
    /** @type {readonly BlockField[]} */
    let fields;
    const get = () => (fields ??= Object.freeze(context.whole.fieldsOf(name).map(Object.freeze)));
    Object.defineProperty(encoding, 'fields', { get, enumerable: true });
    return [name, Object.freeze(encoding)];
  });
  return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(entries)));
}

/**
 * @param {Readonly<Record<string, Readonly<Encoding>>>} encodings
 * @param {unknown} name
 * @returns {Readonly<Encoding>}
 */
export function requireEncoding(encodings, name) {
  const found = typeof name === 'string' ? encodings[name] : undefined;
  if (found) return found;
  throw new PackedError(
    'UNKNOWN_ENCODING',
    `No encoding is called ${describe(name)}; the names are spelled as GGUF spells them: ${Object.keys(encodings).join(', ')}`,
    { actual: describe(name) },
  );
}
