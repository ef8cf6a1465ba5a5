import { requireOptions } from './arguments.js';
import { chromeTrace } from './chrome-trace.js';
import { refuse, requireWhole } from './errors.js';

/**
 * One thing that the library did, with its price. `kind` is one of Allocation, Free, ScopeReset,
 * AdapterInserted, KernelRun, ReferenceUsed, LabelReversed, CacheHit, CacheMiss, CacheEvict, Refused.
 * Sizes are bytes, times nanoseconds since an arbitrary start.
 *
 * @typedef {object} TraceEvent
 * @property {string} kind
 * @property {number} startNanos
 * @property {number} nanos
 * @property {string} [what] adapter kind, or the purpose of an allocation
 * @property {string} [kernel]
 * @property {string} [code] of a refusal
 * @property {string} [from] order or label before
 * @property {string} [to] order or label after
 * @property {string} [target]
 * @property {string} [scope]
 * @property {string} [reason]
 * @property {number} [bytes]
 * @property {number} [bytesRead] real packed bytes
 * @property {number} [bytesWritten]
 */

/**
 * What is told of events. A function is called in the middle of what it is told of: it keeps the event or looks at views,
 * and calls nothing else (CALLED_FROM_SINK). What it throws does not reach the caller: it is an
 * uncaught error once the call has returned, which ends a Node process that does not handle it.
 * @typedef {Trace | ((event: TraceEvent) => void)} Sink
 */

/** A sink that keeps the newest events. */
export class Trace {
  static name = 'Trace';

  /** @type {TraceEvent[]} */
  #events = [];
  #capacity;
  #dropped = 0;

  /** @param {{ capacity?: number }} [options] how many events are kept; the oldest go first */
  constructor(options) {
    const { capacity = 65536 } = requireOptions(options, { capacity: '' });
    this.#capacity = requireWhole('capacity', capacity);
  }

  /** Oldest first. */
  get events() {
    this.#trim();
    return this.#events.slice();
  }

  /** How many events had to go to keep within the capacity. */
  get dropped() {
    this.#trim();
    return this.#dropped;
  }

  /** @param {TraceEvent} event */
  record(event) {
    if (typeof event?.kind !== 'string') refuse('event', 'a TraceEvent', event);
    this.#events.push(event);
    // Dropped in halves: shifting a full list for every event would cost more than what is traced.
    if (this.#events.length >= 2 * this.#capacity) this.#trim();
  }

  #trim() {
    const excess = this.#events.length - this.#capacity;
    if (excess <= 0) return;
    this.#events.splice(0, excess);
    this.#dropped += excess;
  }

  clear() {
    this.#events = [];
    this.#dropped = 0;
  }

  /**
   * The events in Chrome's trace event format, which Perfetto opens: JSON.stringify it into a file.
   * @returns {import('./chrome-trace.js').ChromeTrace}
   */
  toChromeTrace() {
    return chromeTrace(this.events);
  }
}
