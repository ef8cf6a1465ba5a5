import { PackedError, requireWhole, unwrap } from './errors.js';
import { requireBytes, requireOptions } from './arguments.js';
import { requireEncoding } from './encodings.js';
import { View } from './view.js';

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
 * @property {number} explained blocks, or values, that the verdict foretells byte for byte; where bytes were quantized in another way besides, those of a sample whose values it foretells
 * @property {number} total blocks observed
 * @property {DiagnosisKind[]} candidates of an undetermined verdict: the kinds that fit equally well
 * @property {string} message plain words, with the numbers
 * @property {string} fix the call or the step that mends it
 * @property {string} picture the first blocks of the grid, or, where these are right, those from the first wrong one
 *   on: where each belongs, what stands there
 */

/**
 * What moved blocks, or the bytes of blocks, elsewhere.
 * @typedef {'other-order' | 'swapped-label' | 'prepacked-twice' | 'shifted' | 'interleaved-rows' | 'padded-stride' | 'row-permutation'} PlaceMistake
 */

/**
 * What changed the bytes inside of blocks.
 * @typedef {'scales-only' | 'nibble-order' | 'scale-bytes' | 'constant-offset'} ContentMistake
 */

/** @typedef {'agrees' | PlaceMistake | ContentMistake | 'truncated' | 'foreign' | 'undetermined'} DiagnosisKind */

/**
 * What bytes are held against.
 * @typedef {object} DisagreementOptions
 * @property {boolean} [kernelOrder] the bytes claim to be INPUT_BLOCK_MAJOR; otherwise ROW_MAJOR. A view knows
 * @property {number} [out] rows of the grid; without, those of a view among the two, else of the placement fixture's
 *   4 x 3. What is said twice must be the same
 * @property {number} [blocksPerRow] of the grid; goes with out. Of an encoding without blocks, such as F32: values
 *   per row
 * @property {Uint8Array | ArrayBuffer | View} [reference] the weight as a file holds it, ROW_MAJOR; a fixture without
 */

/** @typedef {Readonly<Record<string, Readonly<import('./encodings.js').Encoding>>>} Encodings */

/**
 * @param {import('./context.js').Context} context
 * @param {Encodings} encodings
 * @param {unknown} bytes
 * @param {string} encoding
 * @param {DisagreementOptions} [options]
 * @returns {Disagreement | null}
 */
export function disagreement(context, encodings, bytes, encoding, options) {
  const question = asked(encodings, bytes, encoding, options);
  return agrees(context, question) ? null : held('disagreement', context, question);
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
  return held('diagnose', context, asked(encodings, bytes, encoding, options));
}

/**
 * What is held against what, checked. A view brings its order and its grid along.
 * @param {Encodings} encodings
 * @param {unknown} bytes
 * @param {string} encoding
 * @param {DisagreementOptions} [options]
 */
function asked(encodings, bytes, encoding, options) {
  const { name, bytes: blockBytes, elements } = requireEncoding(encodings, encoding);
  const given = requireOptions(options, {
    kernelOrder: 'boolean',
    out: '',
    blocksPerRow: '',
    reference: '',
  });
  const { reference, out, blocksPerRow } = given;
  let { kernelOrder = false } = given;
  const views = [];
  if (bytes instanceof View) {
    const { order } = requireView('view', bytes, name);
    if (given.kernelOrder !== undefined && kernelOrder !== (order === 'INPUT_BLOCK_MAJOR')) {
      throw new PackedError('INVALID_ARGUMENT', `The view is ${order}; leave kernelOrder away`);
    }
    kernelOrder = order === 'INPUT_BLOCK_MAJOR';
    views.push(bytes);
  }
  if (reference instanceof View) {
    if (requireView('reference', reference, name).order !== 'ROW_MAJOR') {
      throw new PackedError(
        'INVALID_ARGUMENT',
        'A reference is ROW_MAJOR: pw.toCanonical(view) first',
      );
    }
    views.push(reference);
  }
  const grids = views.map(({ shape }) => gridOf(shape, name, elements));
  return {
    name,
    blockBytes,
    kernelOrder,
    ...requireGrid(theOnlyGrid([...grids, { out, blocksPerRow }])),
    observed: bytes instanceof View ? bytes : requireBytes('bytes', bytes, name),
    reference:
      reference === undefined || reference instanceof View
        ? reference
        : requireBytes('reference', reference, name),
  };
}

/**
 * @param {number[]} shape of a view
 * @param {string} encoding
 * @param {number} elements of its blocks
 */
function gridOf(shape, encoding, elements) {
  const rows = [...shape];
  const inputDim = /** @type {number} */ (rows.pop());
  if (inputDim % elements !== 0) {
    throw new PackedError(
      'NOT_BLOCKED',
      `The rows of this view of [${shape}] are no whole blocks of ${encoding}: it is transposed. Compare view.transpose(), which is the weight itself`,
    );
  }
  const out = rows.reduce((product, size) => product * size, 1);
  return { out, blocksPerRow: inputDim / elements };
}

/**
 * The grid that is said, by views and in words.
 * @param {{ out?: number, blocksPerRow?: number }[]} said
 */
function theOnlyGrid(said) {
  /** @type {{ out?: number, blocksPerRow?: number }} */
  const grid = {};
  for (const other of said) {
    for (const size of /** @type {const} */ (['out', 'blocksPerRow'])) {
      if (other[size] === undefined) continue;
      const stated = requireWhole(size, other[size]);
      grid[size] ??= stated;
      if (grid[size] === stated) continue;
      throw new PackedError(
        'SHAPE_MISMATCH',
        `${size} is ${grid[size]} of one and ${stated} of the other: what is held against each other is one grid`,
        { expected: `${grid[size]}`, actual: `${stated}` },
      );
    }
  }
  return grid;
}

/**
 * @param {string} what
 * @param {View} view
 * @param {string} encoding
 */
function requireView(what, view, encoding) {
  View.handleOf(view);
  if (view.encoding !== encoding) {
    throw new PackedError('INVALID_ARGUMENT', `The ${what} is ${view.encoding}, not ${encoding}`);
  }
  if (view.shape.length > 2 && view.order !== 'ROW_MAJOR') {
    throw new PackedError(
      'RANK_UNSUPPORTED',
      'Each grid of a stack has a kernel order of its own: compare view.slice(expert) one by one',
    );
  }
  return view;
}

// Of the rows that are compared at once: with as much of the reference they stay in a core's cache.
const BAND_BYTES = 256 * 1024;

/**
 * Whether bytes agree with a reference, found out band of rows by band of rows: what is copied to the module's
 * memory is compared before it leaves the cache. False says only that a closer look is needed.
 * @param {import('./context.js').Context} context
 * @param {ReturnType<typeof asked>} question
 */
function agrees({ heap, core }, question) {
  const { name, blockBytes, kernelOrder, out, blocksPerRow, observed, reference } = question;
  if (!(observed instanceof Uint8Array) || !(reference instanceof Uint8Array)) return false;
  const row = blocksPerRow * blockBytes;
  if (out <= 0 || observed.length !== out * row || reference.length !== out * row) return false;
  // Node compares memory faster than it is copied. Named so, bundlers do not bring a Buffer along.
  const { Buffer } = /** @type {any} */ (globalThis);
  if (!kernelOrder && Buffer) return Buffer.compare(observed, reference) === 0;
  const most = Math.max(1, Math.min(out, Math.floor(BAND_BYTES / row)));
  return heap.borrow(2 * most * row, 'packed bytes', (at) => {
    for (let first = 0; first < out; first += most) {
      const rows = Math.min(most, out - first);
      const size = rows * row;
      const band = heap.bytes(at, 2 * size);
      band.set(reference.subarray(first * row, first * row + size), size);
      // A line of the observed order: a row, or as many blocks of a column.
      const [lines, line, start, step] = kernelOrder
        ? [blocksPerRow, rows * blockBytes, first * blockBytes, out * blockBytes]
        : [1, size, first * row, 0];
      for (let i = 0; i < lines; ++i) {
        const from = start + i * step;
        band.set(observed.subarray(from, from + line), i * line);
      }
      const grid = [name, kernelOrder, rows, blocksPerRow];
      if (unwrap(core.disagreement(at, size, ...grid, at + size, size)) !== null) return false;
    }
    return true;
  });
}

/**
 * Asks the module, once both sides are in its memory.
 * @param {'disagreement' | 'diagnose'} call
 * @param {import('./context.js').Context} context
 * @param {ReturnType<typeof asked>} question
 */
function held(call, context, question) {
  const { core } = context;
  const { name, kernelOrder, out, blocksPerRow, observed, reference } = question;
  return placed(context, reference, 'reference', (address, size) =>
    placed(context, observed, 'packed bytes', (from, length) =>
      unwrap(core[call](from, length, name, kernelOrder, out, blocksPerRow, address, size)),
    ),
  );
}

/**
 * Where bytes are in the module's memory: a view's are there already, unless it leaves gaps.
 * @template T
 * @param {import('./context.js').Context} context
 * @param {Uint8Array | View | undefined} bytes
 * @param {string} purpose
 * @param {(address: number, size: number) => T} use
 * @returns {T}
 */
function placed(context, bytes, purpose, use) {
  if (bytes === undefined) return use(0, 0);
  const { heap } = context;
  if (!(bytes instanceof View)) return heap.stage(bytes, purpose, use);
  const address = View.handleOf(bytes, context).address();
  return address === 0 ? heap.stage(bytes.bytes(), purpose, use) : use(address, bytes.byteLength);
}

/** @param {{ out?: number, blocksPerRow?: number }} grid */
function requireGrid({ out, blocksPerRow }) {
  // The fixture's, which is another one than an empty grid.
  if (out === undefined && blocksPerRow === undefined) return { out: -1, blocksPerRow: -1 };
  if (out !== undefined && blocksPerRow !== undefined) return { out, blocksPerRow };
  throw new PackedError('INVALID_ARGUMENT', 'A grid needs both out and blocksPerRow');
}
