import { requireOptions } from './arguments.js';
import { PackedError, refuse, requireWhole } from './errors.js';

/**
 * An arena with a name: it owns the module's memory behind the views and adapters made in it, counts it,
 * and gives it all back when it is closed. Views of a closed scope throw SCOPE_CLOSED and name it.
 */
export class Scope {
  static name = 'Scope';

  #context;
  /** @type {any} */
  #handle;

  /**
   * Made by `pw.scope()`.
   * @param {import('./context.js').Context} context
   * @param {{ name?: string, sink?: import('./trace.js').Sink, limit?: number }} [options] `limit`: bytes
   *   that it may hold at a time; more is refused with OUT_OF_MEMORY
   */
  constructor(context, options) {
    const {
      name = 'scope',
      sink,
      limit,
    } = requireOptions(options, { name: 'string', sink: 'object', limit: '' });
    this.#context = context;
    /** @readonly */
    this.name = name;
    const keeper = context.sink(sink);
    this.#handle = context.core.makeScope(
      this.name,
      keeper.handle,
      limit === undefined ? Infinity : requireWhole('limit', limit),
    );
    context.own(this, this.#handle, keeper);
  }

  /** Bytes that its views and adapters hold now. @returns {number} */
  get bytes() {
    return this.#handle ? this.#handle.bytesLive() : 0;
  }

  /** The most that `bytes` has been. @returns {number} */
  get bytesPeak() {
    return this.#handle ? this.#handle.bytesPeak() : 0;
  }

  get closed() {
    return this.#handle === null;
  }

  /** Gives all memory back; the scope can be used again, the views made in it so far cannot. */
  reset() {
    this.#context.requireIdle();
    if (this.#handle) this.#handle.reset();
  }

  /** Gives all memory back for good. Closing twice is allowed. */
  close() {
    if (!this.#handle) return;
    this.#context.requireIdle();
    this.#handle.close();
    this.#context.disown(this, this.#handle);
    this.#handle = null;
  }

  [Symbol.dispose]() {
    this.close();
  }

  /**
   * The C++ object, for the facade.
   * @internal
   * @param {unknown} scope
   * @returns {any}
   */
  static handleOf(scope) {
    if (!(scope instanceof Scope)) {
      refuse('scope', 'made by pw.scope()', scope);
    }
    if (scope.#handle) return scope.#handle;
    throw new PackedError(
      'SCOPE_CLOSED',
      `Scope "${scope.name}" is closed: nothing can be made in it`,
    );
  }
}
