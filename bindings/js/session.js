import { requireOptions } from './arguments.js';
import { PackedError, requireWhole } from './errors.js';
import { multiplied } from './matmul.js';

/**
 * @typedef {object} SessionStats
 * @property {number} hits
 * @property {number} misses
 * @property {number} evictions
 * @property {number} entries weights held now
 * @property {number} bytes that they take
 * @property {number} cacheBytes that they may take
 */

/**
 * Multiplication by weights that are used again and again. A weight of blocks that does not lie in kernel order is
 * relaid once and reused until its bytes change; the least recently used leaves when the cache is full, and what was
 * relaid from a scope or a view when that is closed. One that is larger than `cacheBytes` (256 MiB unless said), and
 * plain values, are multiplied as they lie.
 * The sink sees CacheHit, CacheMiss and CacheEvict. Dispose of it to give the memory back.
 */
export class Session {
  static name = 'Session';

  #context;
  /** @type {any} */
  #handle;

  /**
   * Made by `pw.session()`.
   * @param {import('./context.js').Context} context
   * @param {{ cacheBytes?: number, sink?: import('./trace.js').Sink }} [options]
   */
  constructor(context, options) {
    const { cacheBytes = 256 << 20, sink } = requireOptions(options, {
      cacheBytes: '',
      sink: 'object',
    });
    this.#context = context;
    const keeper = context.sink(sink);
    this.#handle = context.core.makeSession(requireWhole('cacheBytes', cacheBytes), keeper.handle);
    context.own(this, this.#handle, keeper);
  }

  /**
   * x times the transpose of w, by a kernel that reads the relaid weight.
   * @param {Float32Array} x [columns, in] or [in]
   * @param {import('./view.js').View} w [out, in]
   * @param {{ activation?: 'f32' | 'int8', into?: Float32Array }} [options]
   * @returns {Float32Array} [columns, out]
   */
  matmulWeightTransposed(x, w, options) {
    const handle = this.#alive();
    const given = requireOptions(options, { activation: '', into: 'object' });
    return multiplied(this.#context, x, w, given, (...operands) => handle.matmulInto(...operands));
  }

  /** @returns {SessionStats} */
  get stats() {
    return this.#alive().stats();
  }

  /** Empties the cache; the session can be used on. */
  clear() {
    this.#context.requireIdle();
    this.#alive().clear();
  }

  get disposed() {
    return this.#handle === null;
  }

  /** Gives the cache back. Twice is allowed. */
  dispose() {
    if (this.#handle === null) return;
    this.#context.disown(this, this.#handle);
    this.#handle = null;
  }

  [Symbol.dispose]() {
    this.dispose();
  }

  #alive() {
    if (this.#handle !== null) return this.#handle;
    throw new PackedError('DISPOSED', 'This session has been disposed of; make another');
  }
}
