/**
 * One event of Chrome's "Trace Event Format", which Perfetto, chrome://tracing and speedscope open.
 *
 * @typedef {object} ChromeEvent
 * @property {'X' | 'i' | 'C' | 'M'} ph complete (with `dur`), instant, counter, metadata
 * @property {string} name
 * @property {string} [cat] the kind of the event that it shows
 * @property {number} pid
 * @property {number} tid
 * @property {number} ts microseconds since the first event, nanoseconds as decimals
 * @property {number} [dur] microseconds
 * @property {'t'} [s] of an instant event: it concerns its thread
 * @property {Record<string, string | number>} args
 */

/** @typedef {{ traceEvents: ChromeEvent[], displayTimeUnit: 'ns' }} ChromeTrace */

const here = { pid: 1, tid: 1 };
const takesTime = new Set(['KernelRun', 'AdapterInserted']);

/**
 * What takes time as complete events, what happens at once as instant ones, and what each scope holds as a
 * counter. Sorted by time: an event is recorded when its work ends, but stands where the work began.
 * @param {import('./trace.js').TraceEvent[]} events oldest first
 * @returns {ChromeTrace}
 */
export function chromeTrace(events) {
  const origin = events.reduce((least, event) => Math.min(least, event.startNanos), Infinity);
  /** @type {Map<string, number>} */
  const held = new Map();
  /** @type {ChromeEvent[]} */
  const shown = [];
  for (const event of events) {
    const { kind, startNanos, nanos, ...args } = event;
    const ts = (startNanos - origin) / 1000;
    const name = args.kernel ?? args.what ?? args.code ?? kind;
    const place = { cat: kind, ...here, ts };
    shown.push(
      takesTime.has(kind)
        ? { ph: 'X', name, ...place, dur: nanos / 1000, args }
        : { ph: 'i', name, ...place, s: 't', args },
    );
    const change = bytesGained(event);
    if (change === 0) continue;
    const scope = `scope ${event.scope}`;
    // Never below zero: the trace may have begun, or dropped its oldest events, after an allocation.
    const bytes = Math.max(0, (held.get(scope) ?? 0) + change);
    held.set(scope, bytes);
    shown.push({ ph: 'C', name: scope, ...place, args: { bytes } });
  }
  shown.sort((a, b) => a.ts - b.ts);
  return { traceEvents: [...names(), ...shown], displayTimeUnit: 'ns' };
}

/**
 * By how much an event changes what its scope holds.
 * @param {import('./trace.js').TraceEvent} event
 */
function bytesGained({ kind, bytes = 0 }) {
  if (kind === 'Allocation') return bytes;
  return kind === 'Free' || kind === 'ScopeReset' ? -bytes : 0;
}

/** @returns {ChromeEvent[]} */
function names() {
  const named = (/** @type {string} */ name, /** @type {string} */ text) =>
    /** @type {ChromeEvent} */ ({ ph: 'M', name, ...here, ts: 0, args: { name: text } });
  return [named('process_name', 'packed-weights'), named('thread_name', 'packed-weights')];
}
