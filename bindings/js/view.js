import { requireOptions, requireOrder, requireShape } from './arguments.js';
import { PackedError, refuse, requireWhole, unwrap } from './errors.js';
import { foreign } from './heap.js';
import { Scope } from './scope.js';

/** The options of what may copy a weight. */
export const toConvert = /** @type {const} */ ({ scope: 'object', sink: 'object' });

/**
 * A weight, or a part of one, seen as values. Its bytes live in the module's memory and belong to a scope.
 * `get`, `row` and `toFloats` read through the layout: they mean the same in either order and through any
 * chain of narrow, slice and transpose. Axes count from 0.
 */
export class View {
  static name = 'View';

  #context;
  /** @type {any} */
  #handle;
  #scope;
  #ownsScope;
  /** @type {string} */
  #encoding;

  /**
   * Made by `pw.view()`.
   * @param {import('./context.js').Context} context
   * @param {any} handle
   * @param {Scope} scope the owner of the bytes
   * @param {boolean} [ownsScope] whether disposing of the view closes it
   */
  constructor(context, handle, scope, ownsScope = false) {
    this.#context = context;
    this.#handle = handle;
    this.#scope = scope;
    this.#ownsScope = ownsScope;
    this.#encoding = handle.encoding();
    context.own(this, handle);
  }

  /** Sizes in values: [in], [out, in], [experts, out, in] or one axis more. */
  get shape() {
    return /** @type {number[]} */ (View.handleOf(this).shape());
  }

  get encoding() {
    return this.#encoding;
  }

  get order() {
    return /** @type {import('./arguments.js').BlockOrder} */ (View.handleOf(this).order());
  }

  /** Over the block grid, in blocks: [to the next row, to the next block of the row]. */
  get strides() {
    return /** @type {number[]} */ (View.handleOf(this).strides());
  }

  /** Of the first block, in blocks. */
  get offset() {
    return /** @type {number} */ (View.handleOf(this).offset());
  }

  /** Bytes of the blocks that it shows. */
  get byteLength() {
    return /** @type {number} */ (View.handleOf(this).packedSize());
  }

  /** contiguous, strided, blocked_row_major or blocked_input_major: what kernels are chosen by. */
  get layoutClass() {
    return /** @type {string} */ (View.handleOf(this).layoutClass());
  }

  /** The scope that owns the bytes. */
  get scope() {
    return this.#scope;
  }

  /**
   * One value; one index per axis of the shape.
   * @param {...number} index
   * @returns {number}
   */
  get(...index) {
    index.forEach((i, axis) => requireWhole(`index ${axis}`, i));
    return unwrap(View.handleOf(this).get(index));
  }

  /**
   * Row `o` of a view of rank 1 or 2.
   * @param {number} o
   */
  row(o) {
    const handle = View.handleOf(this);
    requireWhole('o', o);
    const shape = this.shape;
    return this.#floats(shape[shape.length - 1], (to, count) => handle.rowInto(o, to, count));
  }

  /** Every value in the order of the shape, last axis fastest. */
  toFloats() {
    const handle = View.handleOf(this);
    return this.#floats(handle.valueCount(), (to, count) => handle.floatsInto(to, count));
  }

  /** The packed bytes of the blocks that it shows, without gaps, in its own order. */
  bytes() {
    const handle = View.handleOf(this);
    const size = handle.packedSize();
    return this.#context.heap.borrow(size, 'packed bytes', (to) => {
      unwrap(handle.blocksInto(handle.order(), to, size));
      return this.#context.heap.bytes(to, size).slice();
    });
  }

  /**
   * The part from .. from + size of an axis. Along the blocked axis both must be whole blocks.
   * @param {number} axis
   * @param {number} from
   * @param {number} size
   */
  narrow(axis, from, size) {
    requireWhole('axis', axis);
    requireWhole('from', from);
    requireWhole('size', size);
    return this.#derived(View.handleOf(this).narrow(axis, from, size));
  }

  /**
   * Every step-th index of an axis. Along the blocked axis only a step of 1 exists.
   * @param {number} axis
   * @param {number} step
   */
  everyNth(axis, step) {
    requireWhole('axis', axis);
    requireWhole('step', step);
    return this.#derived(View.handleOf(this).everyNth(axis, step));
  }

  /**
   * One grid of a stack: rank 3 or 4 to rank 2 or 3.
   * @param {number} expert
   */
  slice(expert) {
    requireWhole('expert', expert);
    return this.#derived(View.handleOf(this).slice(expert));
  }

  /**
   * The last two axes read in the other order: a way of looking that moves no byte. It is not a relayout,
   * and kernels refuse it for packed weights.
   */
  transpose() {
    return this.#derived(View.handleOf(this).transpose());
  }

  /**
   * The blocks in the order asked for: this object when its order is that already, otherwise a copy in
   * `scope` (this view's own when none is given) and an AdapterInserted event with its price.
   * @param {import('./arguments.js').BlockOrder} order
   * @param {{ scope?: Scope, sink?: import('./trace.js').Sink }} [options]
   * @returns {View}
   */
  prepack(order, options) {
    const handle = View.handleOf(this);
    const { scope = this.#scope, sink } = requireOptions(options, toConvert);
    requireOrder(order);
    const keeper = this.#context.sink(sink);
    const made = unwrap(handle.prepack(order, Scope.handleOf(scope), keeper.handle));
    return View.orSame(this, made, scope);
  }

  /**
   * The same without a second buffer: the blocks move inside the view's own bytes. Where they do, other views of them,
   * this one too, are refused from then on (STALE_VIEW). Use the one returned, which owns the bytes if this one did. The
   * view must show all of its bytes.
   * @param {import('./arguments.js').BlockOrder} order
   * @param {{ sink?: import('./trace.js').Sink }} [options]
   * @returns {View}
   */
  prepackInPlace(order, options) {
    const handle = View.handleOf(this);
    const { sink } = requireOptions(options, { sink: 'object' });
    const keeper = this.#context.sink(sink);
    const made = this.#derived(handle.prepackInPlace(requireOrder(order), keeper.handle));
    made.#ownsScope = this.#ownsScope;
    this.#ownsScope = false;
    return made;
  }

  /**
   * The same blocks under another shape of as many values. Refused (RESHAPE_REFUSED) for a part of a value,
   * and for a prepacked one unless its grid stays: its bytes mean something only at their own size.
   * @param {number[]} shape
   */
  reshape(shape) {
    return this.#derived(View.handleOf(this).reshape(requireShape(shape)));
  }

  /**
   * What prepack would cost, before it is paid: `bytes` for a copy, `scratchBytes` in place.
   * @param {import('./arguments.js').BlockOrder} order
   * @returns {{ needed: boolean, bytes: number, scratchBytes: number }}
   */
  planPrepack(order) {
    return unwrap(View.handleOf(this).planPrepack(requireOrder(order)));
  }

  /**
   * The values as a dense F32 view in `scope`, and an AdapterInserted event with its price.
   * @param {{ scope?: Scope, sink?: import('./trace.js').Sink }} [options]
   * @returns {View}
   */
  dequantize(options) {
    const { scope = this.#scope, sink } = requireOptions(options, toConvert);
    const keeper = this.#context.sink(sink);
    const made = View.handleOf(this).dequantize(Scope.handleOf(scope), keeper.handle);
    return new View(this.#context, unwrap(made), scope);
  }

  /** Whether dispose has been called. */
  get disposed() {
    return this.#handle === null;
  }

  /**
   * Lets go of the view, and of its bytes when it was made without a scope: what was made from it without a scope of
   * its own (narrow, prepack, pw.prepackForMatmul) goes with them.
   */
  dispose() {
    if (this.#handle === null) return;
    this.#context.disown(this, this.#handle);
    this.#handle = null;
    if (this.#ownsScope) this.#scope.close();
  }

  [Symbol.dispose]() {
    this.dispose();
  }

  /** @param {any} outcome */
  #derived(outcome) {
    return new View(this.#context, unwrap(outcome), this.#scope);
  }

  /**
   * @param {number} count
   * @param {(to: number, count: number) => any} write
   */
  #floats(count, write) {
    return this.#context.heap.borrow(count * 4, 'decoded values', (to) => {
      unwrap(write(to, count));
      return this.#context.heap.floats(to, count).slice();
    });
  }

  /**
   * A view for what a conversion returned: `view` itself when nothing was converted.
   * @internal
   * @param {View} view
   * @param {any} handle
   * @param {Scope} scope
   */
  static orSame(view, handle, scope) {
    if (handle.storageIdentity() !== View.handleOf(view).storageIdentity()) {
      return new View(view.#context, handle, scope);
    }
    handle.delete();
    return view;
  }

  /**
   * The view as the owner of its scope: disposing of it closes the scope.
   * @internal
   * @param {View} view
   */
  static owning(view) {
    view.#ownsScope = true;
    return view;
  }

  /**
   * The C++ object, for the facade.
   * @internal
   * @param {unknown} view
   * @param {import('./context.js').Context} [context] whose it must be, for who asks it for an address
   * @returns {any}
   */
  static handleOf(view, context) {
    // A Proxy of one, such as frameworks make, is none.
    if (!(#handle in Object(view))) refuse('view', 'made by pw.view()', view);
    const own = /** @type {View} */ (view);
    if (context && context !== own.#context) throw foreign();
    if (own.#handle !== null) return own.#handle;
    throw new PackedError('DISPOSED', `This ${own.#encoding} view has been disposed of`);
  }
}
