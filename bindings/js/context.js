import { PackedError, refuse } from './errors.js';
import { Heap } from './heap.js';
import { failing } from './load-failed.js';
import { Trace } from './trace.js';

// Older engines of those supported know `using` only through a transpiler, which asks for these symbols.
/** @type {any} */ (Symbol).dispose ??= Symbol('Symbol.dispose');
/** @type {any} */ (Symbol).asyncDispose ??= Symbol('Symbol.asyncDispose');

/**
 * What the facade's parts share: the module, its memory, and the C++ objects that JS holds. An object
 * that a user forgets is freed when JS forgets it too; dispose frees it at once.
 */
export class Context {
  /** @type {WeakMap<object, { handle: any, sink: object }>} */
  #sinks = new WeakMap();
  /** @type {typeof import('./tools.js') | undefined} */
  #tools;
  // The second field keeps what the C++ object points to alive until it is gone itself.
  #forgotten = new FinalizationRegistry((/** @type {{ handle: any, keeps?: unknown }} */ held) =>
    held.handle.delete(),
  );

  #core;
  #telling = false;
  #multiplications = 0;
  #checkedNext = 100;

  /**
   * @param {any} core the started module
   * @param {import('./load.js').Isa} isa
   * @param {string} isaReason
   */
  constructor(core, isa, isaReason) {
    this.#core = core;
    this.isa = isa;
    this.isaReason = isaReason;
    this.heap = new Heap(core);
  }

  /** The module, for who does not call it from a sink. */
  get core() {
    this.requireIdle();
    return this.#core;
  }

  /** A sink is called in the middle of a call: what that one works with must stay as it is. */
  requireIdle() {
    if (!this.#telling) return;
    throw new PackedError(
      'CALLED_FROM_SINK',
      'A sink is told of an event in the middle of a call: keep the event, and do this once the call has returned',
    );
  }

  /**
   * To be called before each multiplication. Engines compile again what runs often, and an optimizing tier has
   * computed other values than the baseline one that the check at loading met: so the relaxed kernels are compared
   * with the scalar ones again (some milliseconds) before multiplication 100, 1000 and so on. Where they differ
   * by then, they are not used any longer: int8 multiplications run scalar kernels, which are slow, and loading
   * `simd128` is the cure.
   */
  recheck() {
    if (this.isa !== 'relaxed' || ++this.#multiplications < this.#checkedNext) return;
    const wrong = this.core.selfCheck();
    // Nothing was learned: the next multiplication tries again.
    if (wrong === 'no memory') return;
    const when = `before multiplication ${this.#checkedNext}`;
    this.#checkedNext *= 10;
    if (wrong === '') {
      this.isaReason += `; checked ${when}`;
    } else {
      this.core.limitKernels((this.isa = 'simd128'));
      this.isaReason = `relaxed kernels failed their self-check here: ${wrong}, ${when}; int8 runs scalar kernels, load({ isa: 'simd128' }) is faster`;
    }
  }

  /** What quantizes, proves, diagnoses and writes. */
  get tools() {
    if (this.#tools) return this.#tools;
    throw new PackedError(
      'LOAD_FAILED',
      'This needs the part that load({ tools: false }) leaves for later: await pw.loadTools() before',
    );
  }

  /** The core, for functions of its tools. */
  get whole() {
    return this.tools && this.core;
  }

  async loadTools() {
    const script = failing(() => import('./tools.js'));
    [this.#tools] = await Promise.all([script, this.core.loadTools()]);
    const wrong = this.core.takeColumns();
    if (wrong) this.isaReason += `; columns one by one, because of ${wrong}`;
  }

  /** What reads files, fetched when the first is opened. */
  async files() {
    const script = failing(() => import('./files.js'));
    const [files] = await Promise.all([script, this.core.loadFiles(), this.loadTools()]);
    return files;
  }

  /**
   * Frees `handle` when `owner` is forgotten.
   * @param {object} owner
   * @param {any} handle
   * @param {unknown} [keeps]
   */
  own(owner, handle, keeps) {
    this.#forgotten.register(owner, { handle, keeps }, owner);
  }

  /**
   * Frees `handle` now.
   * @param {object} owner
   * @param {any} handle
   */
  disown(owner, handle) {
    this.requireIdle();
    this.#forgotten.unregister(owner);
    handle.delete();
  }

  /**
   * The C++ side of a sink: null for none. `keeper` is to be held as long as C++ may use it.
   * @param {import('./trace.js').Sink | undefined | null} sink
   */
  sink(sink) {
    this.requireIdle();
    if (sink === undefined || sink === null) return { handle: null };
    if (!(sink instanceof Trace) && typeof sink !== 'function') {
      refuse('sink', 'a trace (pw.trace()) or a function', sink);
    }
    let keeper = this.#sinks.get(sink);
    if (!keeper) {
      // C++ holds the callback for good: it must not hold the sink, or neither would ever be forgotten.
      // Who may outlive the call holds the keeper, and with it the sink.
      const weakly = new WeakRef(sink);
      const record = (/** @type {any} */ event) => this.#tell(weakly.deref(), event);
      keeper = { handle: this.core.makeSink(record), sink };
      this.#sinks.set(sink, keeper);
      this.own(keeper, keeper.handle);
    }
    return keeper;
  }

  /**
   * An exception must not unwind the module's frames, which would leave its work half done: it is thrown
   * again where nothing is in between.
   * @param {any} sink
   * @param {any} event
   */
  #tell(sink, event) {
    this.#telling = true;
    try {
      if (sink instanceof Trace) sink.record(event);
      else sink?.(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    } finally {
      this.#telling = false;
    }
  }
}
