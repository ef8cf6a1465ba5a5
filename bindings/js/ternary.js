import { requireBytes, requireFloats, requireObject, requireText } from './arguments.js';
import { PackedError, requireWhole, unwrap } from './errors.js';
import { ternaryWeight } from './ternary-weight.js';

/** @typedef {'TQ1_0' | 'TQ2_0' | 'BITNET_B1_58'} TernaryEncoding */
/** @typedef {'group128' | 'group64' | 'sequential'} I2sOrder */

/**
 * Weights whose values are -s, 0 and +s for one s: written and read exactly, or refused.
 */
export class Ternary {
  static name = 'Ternary';

  #context;

  /** @param {import('./context.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  /**
   * Values that are ternary already. TQ1_0 and TQ2_0 keep s in fp16 and refuse one that it would round;
   * BITNET_B1_58 (four values a byte, low bits first, then s as f32) keeps any.
   * @param {Float32Array} floats
   * @param {TernaryEncoding} encoding
   * @returns {{ bytes: Uint8Array, scale: number }}
   */
  encode(floats, encoding) {
    const { core, heap } = this.#context;
    const values = requireFloats('floats', floats);
    const size = unwrap(core.ternaryBytes(requireText('encoding', encoding), values.length));
    return heap.borrow(values.length * 4, 'ternary values', (from) => {
      heap.floats(from, values.length).set(values);
      return heap.borrow(size, 'ternary bytes', (to) => {
        const scale = unwrap(core.encodeTernaryInto(encoding, from, values.length, to, size));
        return { bytes: heap.bytes(to, size).slice(), scale };
      });
    });
  }

  /**
   * @param {Uint8Array | ArrayBuffer} bytes
   * @param {TernaryEncoding} encoding
   * @param {number} count how many values they hold
   * @returns {Float32Array}
   */
  decode(bytes, encoding, count) {
    const { core, heap } = this.#context;
    const all = requireBytes('bytes', bytes);
    requireWhole('count', count);
    const size = unwrap(core.ternaryBytes(requireText('encoding', encoding), count));
    requireSize(encoding, size, all.length);
    return heap.stage(all, 'ternary bytes', (from) =>
      heap.borrow(count * 4, 'ternary values', (to) => {
        unwrap(core.decodeTernaryInto(encoding, from, size, to, count));
        return heap.floats(to, count).slice();
      }),
    );
  }

  /**
   * BITNET_B1_58 bytes as a weight that `pw.bitnetGemv` multiplies by. INVALID_CODE, whose message names the element,
   * for a code that stands for no value.
   * @param {Uint8Array | ArrayBuffer} bytes as `encode` and `importI2S` give them
   * @param {{ out: number, inputDim: number, order: import('./arguments.js').BlockOrder,
   *   scope: import('./scope.js').Scope }} what
   */
  weight(bytes, what) {
    return ternaryWeight(this.#context, bytes, what);
  }

  /**
   * An I2_S tensor as BitNet files store it (codes, then the scale in 4 to 32 bytes) to BITNET_B1_58. The file
   * does not say in which order its codes are, so the caller does: group128 (BitNet.cpp on x86), group64
   * (BitNet.cpp on ARM) or sequential.
   * @param {Uint8Array | ArrayBuffer} bytes
   * @param {{ count: number, order: I2sOrder }} what
   * @returns {{ bytes: Uint8Array, scale: number }}
   */
  importI2S(bytes, what) {
    const { count, order } = requireObject('what', what);
    const { core, heap } = this.#context;
    const all = requireBytes('bytes', bytes);
    requireWhole('count', count);
    const layout = order === undefined ? '' : requireText('order', order);
    // A count that the bytes cannot hold is refused before memory is asked for it.
    const size = unwrap(core.ternaryBytes('BITNET_B1_58', Math.min(count, 4 * all.length + 4)));
    return heap.stage(all, 'I2_S bytes', (from) =>
      heap.borrow(size, 'ternary bytes', (to) => {
        const scale = unwrap(core.importI2SInto(layout, from, all.length, count, to, size));
        return { bytes: heap.bytes(to, size).slice(), scale };
      }),
    );
  }
}

/**
 * @param {string} encoding
 * @param {number} expected
 * @param {number} actual
 */
function requireSize(encoding, expected, actual) {
  if (expected === actual) return;
  throw new PackedError('SIZE_MISMATCH', `${encoding} takes ${expected} bytes, not ${actual}`, {
    expected: `${expected} bytes`,
    actual: `${actual} bytes`,
  });
}
