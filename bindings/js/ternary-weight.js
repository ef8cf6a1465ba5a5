import { requireBytes, requireObject, requireOptions, requireOrder } from './arguments.js';
import { PackedError, requireWhole, unwrap } from './errors.js';
import { foreign } from './heap.js';
import { Scope } from './scope.js';
import { toConvert } from './view.js';

/** @typedef {import('./arguments.js').BlockOrder} BlockOrder */

/**
 * An [out, in] weight in BITNET_B1_58: one scale for the whole tensor, so that its rows are no blocks and it
 * is no View. Its bytes live in the module's memory and belong to a scope. `pw.bitnetGemv` multiplies by it.
 */
export class TernaryWeight {
  static name = 'TernaryWeight';

  #context;
  /** @type {any} */
  #handle;
  #scope;

  /**
   * Made by `pw.ternary.weight()`.
   * @param {import('./context.js').Context} context
   * @param {any} handle
   * @param {Scope} scope the owner of the bytes
   */
  constructor(context, handle, scope) {
    this.#context = context;
    this.#handle = handle;
    this.#scope = scope;
    context.own(this, handle);
  }

  get encoding() {
    return 'BITNET_B1_58';
  }

  /** [out, in] */
  get shape() {
    const handle = TernaryWeight.handleOf(this);
    return /** @type {[number, number]} */ ([handle.out(), handle.inputDim()]);
  }

  get order() {
    return /** @type {BlockOrder} */ (TernaryWeight.handleOf(this).order());
  }

  /** The scope that owns the bytes. */
  get scope() {
    return this.#scope;
  }

  /**
   * One value, the same in either order.
   * @param {number} o
   * @param {number} i
   * @returns {number}
   */
  get(o, i) {
    const handle = TernaryWeight.handleOf(this);
    return unwrap(handle.get(requireWhole('o', o), requireWhole('i', i)));
  }

  /**
   * Rows from .. from + count, of the same bytes.
   * @param {number} from
   * @param {number} count
   */
  narrow(from, count) {
    const handle = TernaryWeight.handleOf(this);
    const made = handle.narrow(requireWhole('from', from), requireWhole('count', count));
    return new TernaryWeight(this.#context, unwrap(made), this.#scope);
  }

  /**
   * In the order asked for: this object when its order is that already, otherwise a copy of its rows in
   * `scope` and an AdapterInserted event. NOT_BLOCK_DIVISIBLE unless rows are whole chunks of 256 values.
   * @param {BlockOrder} order
   * @param {{ scope?: Scope, sink?: import('./trace.js').Sink }} [options]
   * @returns {TernaryWeight}
   */
  prepack(order, options) {
    const handle = TernaryWeight.handleOf(this);
    const { scope = this.#scope, sink } = requireOptions(options, toConvert);
    const keeper = this.#context.sink(sink);
    const owner = Scope.handleOf(scope);
    const made = unwrap(handle.prepack(requireOrder(order), owner, keeper.handle));
    if (order !== handle.order()) return new TernaryWeight(this.#context, made, scope);
    made.delete();
    return this;
  }

  get disposed() {
    return this.#handle === null;
  }

  /** Lets go of the weight; its bytes stay until its scope is closed, or nothing shows them any more. */
  dispose() {
    if (this.#handle === null) return;
    this.#context.disown(this, this.#handle);
    this.#handle = null;
  }

  [Symbol.dispose]() {
    this.dispose();
  }

  /**
   * The C++ object, for the facade.
   * @internal
   * @param {TernaryWeight} weight
   * @param {import('./context.js').Context} [context] whose it must be
   * @returns {any}
   */
  static handleOf(weight, context) {
    if (context && context !== weight.#context) throw foreign();
    if (weight.#handle !== null) return weight.#handle;
    throw new PackedError('DISPOSED', 'This BITNET_B1_58 weight has been disposed of');
  }
}

/**
 * A weight over a copy of `bytes`, every code of which is looked at.
 * @param {import('./context.js').Context} context
 * @param {unknown} bytes
 * @param {{ out: number, inputDim: number, order: BlockOrder, scope: Scope }} what
 */
export function ternaryWeight(context, bytes, what) {
  const { out, inputDim, order, scope } = requireObject('what', what);
  const { core, heap } = context;
  const all = requireBytes('bytes', bytes);
  requireWhole('out', out);
  requireWhole('inputDim', inputDim);
  requireOrder(order);
  const owner = Scope.handleOf(scope);
  const handle = heap.stage(all, 'ternary bytes', (from, size) =>
    unwrap(core.makeTernaryWeight(owner, from, size, out, inputDim, order)),
  );
  return new TernaryWeight(context, handle, scope);
}
