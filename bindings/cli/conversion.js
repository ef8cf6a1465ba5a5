import { PackedError } from 'packed-weights';
import { Norm } from './norm.js';

// Values converted at a time: what bounds the memory, whatever the size of a tensor.
const slabValues = 1 << 20;

/** What a conversion has lost so far, against the values as they are stored. */
export class Loss {
  #values = new Norm();
  #errors = new Norm();
  maxAbs = 0;

  /** sqrt(sum error^2 / sum value^2), 0 where all values are. */
  get relativeRms() {
    return this.#errors.over(this.#values);
  }

  /**
   * What was found for several values.
   * @param {number} values their norm
   * @param {number} errors that of what became of them less them
   * @param {number} maxAbs
   */
  add(values, errors, maxAbs) {
    this.#values.add(values);
    this.#errors.add(errors);
    this.maxAbs = Math.max(this.maxAbs, maxAbs);
  }
}

/**
 * @typedef {object} Conversion
 * @property {string} name of the tensor
 * @property {readonly number[]} ne
 * @property {string} from
 * @property {string} to
 * @property {Loss} loss which it adds to
 */

/**
 * The bytes of a tensor in another encoding, some rows at a time.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('packed-weights').GgufFile} file
 * @param {import('./tensor-bytes.js').Range} range
 * @param {Conversion} conversion
 */
export async function* converted(pw, file, { offset, length }, { name, ne, from, to, loss }) {
  const rows = ne.slice(1).reduce((product, size) => product * size, 1);
  const rowBytes = length / rows;
  const slab = Math.max(1, Math.floor(slabValues / ne[0]));
  for (let row = 0; row < rows; row += slab) {
    const count = Math.min(slab, rows - row);
    const stored = await file.read(offset + row * rowBytes, count * rowBytes);
    // Values that are rounded when they are decoded are measured as they were before.
    const values = from === 'F64' ? doublesOf(stored) : pw.decode(stored, from);
    requireFloats(name, values, row, ne[0]);
    const floats = values instanceof Float32Array ? values : Float32Array.from(values);
    try {
      const { bytes, report } = pw.quantize(floats, to, { inputDim: ne[0] });
      if (values instanceof Float32Array) {
        const norm = normOf(values);
        loss.add(norm, report.relativeRms * norm, report.maxAbs);
      } else {
        measure(loss, values, pw.decode(bytes, to));
      }
      yield bytes;
    } catch (error) {
      if (!(error instanceof PackedError)) throw error;
      const message = `${name}, counting from row ${row}: ${error.message}`;
      throw new PackedError(error.code, message, { tensor: name, cause: error });
    }
  }
}

/** @param {Uint8Array} bytes of a little-endian file */
function doublesOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

/** @param {Float32Array} floats whose squares fit a double */
function normOf(floats) {
  let squares = 0;
  for (let i = 0; i < floats.length; ++i) squares += floats[i] * floats[i];
  return Math.sqrt(squares);
}

/**
 * @param {Loss} loss
 * @param {Float64Array} values
 * @param {Float32Array} became
 */
function measure(loss, values, became) {
  for (let i = 0; i < values.length; ++i) {
    const error = Math.abs(values[i] - became[i]);
    loss.add(values[i], error, error);
  }
}

/**
 * Refuses what is no finite number, and what a quantizer would take for one that is not.
 * @param {string} tensor
 * @param {Float32Array | Float64Array} values
 * @param {number} row the first of these
 * @param {number} inputDim
 */
function requireFloats(tensor, values, row, inputDim) {
  for (let at = 0; at < values.length; ++at) {
    const value = values[at];
    if (Number.isFinite(Math.fround(value))) continue;
    const where = `${tensor}: element ${row * inputDim + at} (row ${row + Math.floor(at / inputDim)}, input ${at % inputDim}) is ${value}`;
    const facts = { tensor, expected: 'a finite value', actual: String(value) };
    if (!Number.isFinite(value)) {
      throw new PackedError('ELEMENT_NOT_FINITE', `${where}; nothing was written`, facts);
    }
    throw new PackedError(
      'OUT_OF_RANGE',
      `${where}, beyond what F32 holds, which quantizers take; nothing was written: scale the tensor, or leave it out by --only`,
      { ...facts, expected: 'at most 3.4028e+38' },
    );
  }
}
