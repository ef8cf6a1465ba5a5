/**
 * Panes that are drawn at once, as all are for the first weight, take turns: a task that has had its time gives
 * way to input and paint, and the next pane is drawn in a task of its own.
 */

/** Milliseconds. */
const TURN = 10;

/** When the current task first asked. */
let began = 0;
/** @type {(() => void)[]} */
const waiting = [];
const { port1: now, port2: next } = new MessageChannel();

now.onmessage = () => {
  began = 0;
  waiting.shift()?.();
  if (waiting.length) next.postMessage(null);
};

/** @returns {Promise<void> | null} what to wait for, where this task has had its time */
export function turn() {
  if (!began) {
    began = performance.now();
    next.postMessage(null);
  }
  if (!waiting.length && performance.now() - began < TURN) return null;
  return new Promise((resolve) => waiting.push(resolve));
}

/** Whether panes wait to be drawn. */
export function crowded() {
  return waiting.length > 0;
}
