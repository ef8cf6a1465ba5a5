import { PackedError, requireWhole, unwrap } from './errors.js';
import { requireBytes } from './arguments.js';
import { PackedBytes } from './packed-bytes.js';
import { requireEncoding } from './encodings.js';

/** @typedef {import('./arguments.js').BlockOrder} BlockOrder */

/**
 * The first block in the wrong place.
 * @typedef {object} Disagreement
 * @property {number | null} o row of the block that belongs at flatIndex; null when bytes follow that belong to none
 * @property {number | null} b its place in the row
 * @property {number} flatIndex where, in blocks
 * @property {{ o: number, b: number } | null} found the block that stands there instead, when it is exactly one
 * @property {number} misplaced how many places hold something else than they should
 * @property {number} total blocks of the grid
 * @property {string} message
 */

/**
 * Which mistake made the bytes what they are.
 * @typedef {object} Diagnosis
 * @property {DiagnosisKind} kind
 * @property {string} variant which of its forms: '4x8, codes XOR 0x88'
 * @property {number} explained blocks that the verdict foretells byte for byte
 * @property {number} total blocks observed
 * @property {DiagnosisKind[]} candidates of an undetermined verdict: the kinds that fit equally well
 * @property {string} message plain words, with the numbers
 * @property {string} fix the call or the step that mends it
 * @property {string} picture the first blocks of the grid: where each belongs, what stands there
 */

/**
 * @typedef {'agrees' | 'other-order' | 'swapped-label' | 'prepacked-twice' | 'shifted' | 'interleaved-rows' |
 *   'padded-stride' | 'scales-only' | 'nibble-order' | 'row-permutation' | 'scale-bytes' | 'constant-offset' |
 *   'truncated' | 'foreign' | 'undetermined'} DiagnosisKind
 */

/**
 * What bytes are held against.
 * @typedef {object} DisagreementOptions
 * @property {boolean} [kernelOrder] the bytes claim to be INPUT_BLOCK_MAJOR; otherwise ROW_MAJOR
 * @property {number} [out] rows of the grid; the placement fixture's 4 x 3 without
 * @property {number} [blocksPerRow]
 * @property {Uint8Array} [reference] the weight as a file holds it, ROW_MAJOR; a fixture without
 */

/** @typedef {Readonly<Record<string, Readonly<import('./encodings.js').Encoding>>>} Encodings */

/**
 * @param {import('./context.js').Context} context
 * @param {Encodings} encodings
 * @param {PackedBytes} packed
 * @param {BlockOrder} order
 */
export function inOrder(context, encodings, packed, order) {
  if (!(packed instanceof PackedBytes)) {
    throw new PackedError(
      'ORDER_REQUIRED',
      'These bytes carry no order, and none can be seen in them: tag them with pw.pack(bytes, { encoding, out, inputDim, order }) first',
    );
  }
  if (packed.order === order) return packed;
  const { encoding, out, blocksPerRow, bytes } = packed;
  const size = bytes.length;
  return context.heap.stage(bytes, 'packed bytes', (source) =>
    context.heap.borrow(size, 'relaid bytes', (target) => {
      unwrap(
        context.core.relayoutInto(
          encoding,
          out,
          blocksPerRow,
          packed.order,
          source,
          order,
          target,
          size,
        ),
      );
      return new PackedBytes({ ...packed, order, bytes: context.heap.bytes(target, size).slice() });
    }),
  );
}

/**
 * @param {import('./context.js').Context} context
 * @param {Encodings} encodings
 * @param {unknown} bytes
 * @param {string} encoding
 * @param {DisagreementOptions} [options]
 * @returns {Disagreement | null}
 */
export function disagreement(context, encodings, bytes, encoding, options) {
  return held('disagreement', context, encodings, bytes, encoding, options);
}

/**
 * @param {import('./context.js').Context} context
 * @param {Encodings} encodings
 * @param {unknown} bytes
 * @param {string} encoding
 * @param {DisagreementOptions} [options]
 * @returns {Diagnosis}
 */
export function diagnose(context, encodings, bytes, encoding, options) {
  return held('diagnose', context, encodings, bytes, encoding, options);
}

/**
 * Holds bytes against a reference or a fixture.
 * @param {'disagreement' | 'diagnose'} question
 * @param {import('./context.js').Context} context
 * @param {Encodings} encodings
 * @param {unknown} bytes
 * @param {string} encoding
 * @param {DisagreementOptions} options
 */
function held(question, { heap, core }, encodings, bytes, encoding, options = {}) {
  const { name } = requireEncoding(encodings, encoding);
  const observed = requireBytes('bytes', bytes);
  const { out, blocksPerRow } = requireGrid(options);
  const reference =
    options.reference === undefined ? null : requireBytes('reference', options.reference);
  const ask = (/** @type {number} */ address, /** @type {number} */ size) =>
    heap.stage(observed, 'packed bytes', (from, length) =>
      unwrap(
        core[question](
          from,
          length,
          name,
          options.kernelOrder === true,
          out,
          blocksPerRow,
          address,
          size,
        ),
      ),
    );
  return reference === null ? ask(0, 0) : heap.stage(reference, 'reference', ask);
}

/** @param {DisagreementOptions} options */
export function requireGrid({ out, blocksPerRow }) {
  if (out === undefined && blocksPerRow === undefined) return { out: 0, blocksPerRow: 0 };
  if (out === undefined || blocksPerRow === undefined) {
    throw new PackedError('INVALID_ARGUMENT', 'A grid needs both out and blocksPerRow');
  }
  return {
    out: requireWhole('out', out),
    blocksPerRow: requireWhole('blocksPerRow', blocksPerRow),
  };
}
