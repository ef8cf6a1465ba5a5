import { requireBytes, requireObject, requireOptions, requireOrder } from './arguments.js';
import { Context } from './context.js';
import { listEncodings, requireEncoding } from './encodings.js';
import { PackedError, requireWhole, unwrap } from './errors.js';
import { matmul } from './matmul.js';
import { emptyView, viewOf, writeInto } from './new-view.js';
import { PackedBytes } from './packed-bytes.js';
import { converted, inOrder } from './relayout.js';
import { Scope } from './scope.js';
import { Session } from './session.js';
import { Trace } from './trace.js';
import { View } from './view.js';

/** @typedef {import('./trace.js').Sink} Sink */
/** @typedef {import('./arguments.js').BlockOrder} BlockOrder */

/**
 * The library, loaded: what `load()` gives. Everything that fails throws a PackedError.
 */
export class PackedWeights {
  static name = 'PackedWeights';

  #context;
  /** @type {Readonly<import('./fixtures.js').Fixtures> | undefined} */
  #fixtures;
  /** @type {import('./ternary.js').Ternary | undefined} */
  #ternary;

  /**
   * Made by `load()`.
   * @param {any} core the started module
   * @param {import('./load.js').Isa} isa
   * @param {string} isaReason
   */
  constructor(core, isa, isaReason) {
    this.#context = new Context(core, isa, isaReason);
    /** @readonly Where this build comes from. @type {import('./build.js').Build} */
    // @ts-expect-error A name that scripts/bundle.js puts a value in the place of.
    this.build = PACKED_BUILD;
    /** @readonly Every encoding by its name. */
    this.encodings = listEncodings(this.#context);
  }

  /**
   * What stands behind it, for the package's other entries.
   * @internal
   * @param {PackedWeights} pw
   */
  static contextOf(pw) {
    return pw.#context;
  }

  /**
   * Fetches what `load({ tools: false })` left for later; at once where it is there already. Until then these throw
   * LOAD_FAILED: quantize, disagreement, diagnose, explain, blockBits, ternary, bitnetGemv, rules, fixtures, the
   * `fields` of an encoding, writeGguf, streamGguf and splitGguf.
   * @returns {Promise<void>}
   * @throws {PackedError} LOAD_FAILED when it cannot be fetched; may be tried again, in Firefox once the page is loaded
   *   again: it keeps that a script could not be imported
   */
  loadTools() {
    return this.#context.loadTools();
  }

  /** Bytes that everybody's tests can run against. See README. */
  get fixtures() {
    return (this.#fixtures ??= this.#context.tools.fixturesOf(this.#context, this.encodings));
  }

  /** Ternary weights: TQ1_0, TQ2_0, BITNET_B1_58, and the import of I2_S. */
  get ternary() {
    return (this.#ternary ??= new this.#context.tools.Ternary(this.#context));
  }

  /** The instruction set of the kernels that run. */
  get isa() {
    return this.#context.isa;
  }

  /**
   * Why it is that one, in words: nothing falls back silently. Relaxed kernels are checked again once the engine may
   * have compiled them anew; what fails then is not used any longer, and this says so.
   */
  get isaReason() {
    return this.#context.isaReason;
  }

  /** Names of the kernels in this module, later ones preferred. */
  get kernels() {
    return /** @type {string[]} */ (this.#context.core.kernelNames());
  }

  /**
   * Tags bytes with what they are. The bytes are not copied.
   * @param {Uint8Array | ArrayBuffer} bytes
   * @param {{ encoding: string, out: number, inputDim: number, order: BlockOrder }} what
   */
  pack(bytes, what) {
    const { encoding, out, inputDim, order } = requireObject('what', what);
    const { name } = this.#encoding(encoding);
    const all = requireBytes('bytes', bytes, name);
    requireWhole('out', out);
    requireWhole('inputDim', inputDim);
    requireOrder(order);
    const grid = unwrap(this.#context.core.grid(name, out, inputDim));
    if (all.length !== grid.byteLength) {
      throw new PackedError(
        'SIZE_MISMATCH',
        `${out} x ${grid.blocksPerRow} blocks of ${name} are ${grid.byteLength} bytes, not ${all.length}`,
        { expected: `${grid.byteLength} bytes`, actual: `${all.length} bytes` },
      );
    }
    const { blocksPerRow } = grid;
    return new PackedBytes({ bytes: all, encoding: name, out, inputDim, blocksPerRow, order });
  }

  /**
   * What every bit of a block is: bit k of byte b is entry 8 * b + k. Empty where a block is one plain value.
   * @param {string} encoding
   * @returns {import('./encodings.js').BlockBit[]}
   */
  blockBits(encoding) {
    return unwrap(this.#context.whole.bitsOf(this.#encoding(encoding).name));
  }

  /**
   * In INPUT_BLOCK_MAJOR, what packed kernels read; the same object when it is already.
   * @param {PackedBytes} packed
   */
  toKernelOrder(packed) {
    return inOrder(this.#context, packed, 'INPUT_BLOCK_MAJOR');
  }

  /**
   * In ROW_MAJOR, what files hold; the same object when it is already.
   * @param {PackedBytes} packed
   */
  toCanonicalOrder(packed) {
    return inOrder(this.#context, packed, 'ROW_MAJOR');
  }

  /**
   * The values of whole blocks, in the sequence in which they stand.
   * @param {Uint8Array | ArrayBuffer} bytes
   * @param {string} encoding
   * @returns {Float32Array}
   */
  decode(bytes, encoding) {
    const { core, heap } = this.#context;
    const { name, elements, bytes: blockBytes } = this.#encoding(encoding);
    const all = requireBytes('bytes', bytes, name);
    const count = Math.floor(all.length / blockBytes) * elements;
    return heap.stage(all, 'packed bytes', (from, size) =>
      heap.borrow(count * 4, 'decoded values', (to) => {
        unwrap(core.decodeInto(name, from, size, to, count));
        return heap.floats(to, count).slice();
      }),
    );
  }

  /**
   * The bytes of whole blocks, ROW_MAJOR, and what was lost. NaN and infinity are refused with the element's
   * index in the message (ELEMENT_NOT_FINITE), as is what the encoding's scales cannot express (OUT_OF_RANGE).
   * @param {Float32Array} floats rows of inputDim values
   * @param {string} encoding one that is `quantizable`
   * @param {import('./quantize.js').QuantizeOptions} [options]
   */
  quantize(floats, encoding, options) {
    return this.#context.tools.quantize(this.#context, this.encodings, floats, encoding, options);
  }

  /**
   * An arena for views and adapters; close it, or declare it with `using`.
   * @param {{ name?: string, sink?: Sink, limit?: number }} [options]
   */
  scope(options) {
    return new Scope(this.#context, options);
  }

  /** A sink that keeps events. @param {{ capacity?: number }} [options] */
  trace(options) {
    return new Trace(options);
  }

  /**
   * A view over a copy of the bytes in the module's memory. Tagged bytes say what they are; others need
   * `encoding`, `shape` and `order`. Without a scope the view owns its bytes and frees them when disposed of.
   * @param {PackedBytes | Uint8Array | ArrayBuffer | Float32Array | Uint16Array} source arrays of numbers where they are
   *   the values of the encoding: F32, or F16 and BF16
   * @param {{ encoding?: string, shape?: number[], order?: BlockOrder, scope?: Scope }} [options]
   */
  view(source, options) {
    return viewOf(this.#context, this.encodings, source, options);
  }

  /**
   * A view over fresh memory of a scope, whose bytes mean nothing until they are written.
   * @param {{ encoding: string, shape: readonly number[], order: BlockOrder, scope: Scope }} what
   */
  emptyView(what) {
    return emptyView(this.#context, this.encodings, what);
  }

  /**
   * Writes bytes of the storage that a view shows: a change that caches of relaid weights notice.
   * @param {View} view
   * @param {number} offset from the start of the storage
   * @param {Uint8Array} bytes
   */
  writeInto(view, offset, bytes) {
    writeInto(this.#context, view, offset, bytes);
  }

  /**
   * Opens a GGUF file, or the shards of a split model (an array); tensors are read when asked for. It stays open until
   * `await file.close()`, or declare it with `await using`: one that is forgotten is closed late, at a time of the engine's
   * choice.
   * @template {import('./source.js').SourceLike | readonly import('./source.js').SourceLike[]} S
   * @param {S} source
   * @param {import('./gguf.js').OpenOptions} [options]
   */
  async openGguf(source, options) {
    const files = await this.#context.files();
    return files.openShards(source, (one) => files.openGguf(this.#context, this, one, options));
  }

  /**
   * Everything that is wrong with a GGUF file or the shards of a model; only sources that cannot be read throw.
   * @param {import('./source.js').SourceLike | readonly import('./source.js').SourceLike[]} source
   * @param {import('./validate.js').ValidateOptions} [options]
   */
  async validate(source, options) {
    const { validate } = await this.#context.files();
    return validate(this.#context, source, options);
  }

  /** Every rule that validate knows, with its severity under both profiles. */
  get rules() {
    return /** @type {{ id: string, spec: string, llama: string, text: string }[]} */ (
      this.#context.whole.rules()
    );
  }

  /**
   * A GGUF file (v3, little-endian) in memory: the same input gives the same bytes, always.
   * @param {import('./gguf-write.js').GgufToWrite} what
   */
  writeGguf(what) {
    return this.#context.tools.writeGguf(this.#context, what);
  }

  /**
   * The same by chunks, for files that memory does not hold: tensors may give their bytes by parts.
   * @param {import('./gguf-write.js').GgufToWrite} what
   */
  streamGguf(what) {
    return this.#context.tools.streamGguf(this.#context, what);
  }

  /**
   * A model as several files, each to be given to writeGguf or streamGguf and stored under its `name`.
   * @param {import('./gguf-write.js').GgufToWrite} what
   * @param {import('./gguf-split.js').SplitOptions} options
   */
  splitGguf(what, options) {
    return this.#context.tools.splitGguf(this.#context, what, options);
  }

  /**
   * The weight in the order that packed kernels read: the same object when it is already, otherwise a copy in `scope`,
   * or in the view's own where none is given. LOOKS_TRANSPOSED for a view with a file's label; NOT_BLOCKED for plain
   * values, which are multiplied as they are.
   * @param {View} view [out, in]
   * @param {{ scope?: Scope, sink?: Sink }} [options]
   */
  prepackForMatmul(view, options) {
    return converted(this.#context, 'prepackForMatmul', view, options);
  }

  /**
   * The weight in the order that files hold: the same object when it is already.
   * @param {View} view [out, in]
   * @param {{ scope?: Scope, sink?: Sink }} [options]
   */
  toCanonical(view, options) {
    return converted(this.#context, 'toCanonical', view, options);
  }

  /**
   * Throws LOOKS_TRANSPOSED when a weight's shape looks like [in, out], NOT_BLOCK_DIVISIBLE when it fits
   * neither way. Stays quiet where it cannot tell.
   * @param {number} rows
   * @param {number} inputDim
   * @param {string} encoding
   */
  requireOutIn(rows, inputDim, encoding) {
    requireWhole('rows', rows);
    requireWhole('inputDim', inputDim);
    unwrap(this.#context.core.requireOutIn(rows, inputDim, this.#encoding(encoding).name));
  }

  /**
   * Refuses packed weights with TRANSPOSE_REFUSED, naming what to call instead; plain ones are turned.
   * @param {View} view
   * @param {{ sink?: Sink }} [options]
   */
  transpose(view, options) {
    const { sink } = requireOptions(options, { sink: 'object' });
    const keeper = this.#context.sink(sink);
    unwrap(this.#context.core.transpose(View.handleOf(view), keeper.handle)).delete();
    return view.transpose();
  }

  /**
   * x times the transpose of w: x [in] or [columns, in], w [out, in], result [columns, out].
   * @param {Float32Array} x
   * @param {View} w
   * @param {import('./matmul.js').MatmulOptions} [options]
   */
  matmul(x, w, options) {
    return matmul(this.#context, x, w, options);
  }

  /**
   * A cache of relaid weights and the multiplication that uses it; declare it with `using`.
   * @param {{ cacheBytes?: number, sink?: Sink }} [options]
   */
  session(options) {
    return new Session(this.#context, options);
  }

  /**
   * One vector times a ternary weight, in either order: a view of TQ1_0 or TQ2_0, narrowed as you like, or
   * what `pw.ternary.weight()` makes of BITNET_B1_58. Part of the tools: see `loadTools`.
   * @param {Float32Array} x [in]
   * @param {View | import('./ternary-weight.js').TernaryWeight} w [out, in]
   * @param {{ activation?: 'f32' | 'int8', into?: Float32Array, sink?: Sink }} [options]
   */
  bitnetGemv(x, w, options) {
    return this.#context.tools.bitnetGemv(this.#context, x, w, options);
  }

  /**
   * Which kernel multiplies by a weight as it lies; where only the reference can, or for a stack and a transposed view
   * not even that, the nearest kernel and the one field in which it differs.
   * @param {View} view
   * @param {{ activation?: 'f32' | 'int8' }} [options]
   * @returns {{ key: string, kernel: string | null, nearest: string | null, field: string | null,
   *   has: string | null, wants: string | null, message: string }}
   */
  explain(view, options) {
    return this.#context.tools.explain(this.#context, view, options);
  }

  /**
   * Null when the bytes stand where their order says, otherwise the first block in the wrong place. Views are
   * compared where they are, without a copy.
   * @param {Uint8Array | ArrayBuffer | View} bytes
   * @param {string} encoding
   * @param {import('./weights.js').DisagreementOptions} [options]
   */
  disagreement(bytes, encoding, options) {
    return this.#context.tools.disagreement(
      this.#context,
      this.encodings,
      bytes,
      encoding,
      options,
    );
  }

  /**
   * Names the mistake that made the bytes what they are, with the call that mends it; 'undetermined' when the
   * bytes alone cannot tell. Takes what disagreement takes.
   * @param {Uint8Array | ArrayBuffer | View} bytes
   * @param {string} encoding
   * @param {import('./weights.js').DisagreementOptions} [options]
   */
  diagnose(bytes, encoding, options) {
    return this.#context.tools.diagnose(this.#context, this.encodings, bytes, encoding, options);
  }

  /** @param {unknown} name */
  #encoding(name) {
    return requireEncoding(this.encodings, name);
  }
}
