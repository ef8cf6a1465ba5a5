/**
 * The bench, in a worker of its own, so that it can be stopped at any moment and measures nothing else; or, where
 * that one cannot be loaded, in the worker that draws.
 */
import { calibrate, plans, runBench } from 'packed-weights/bench';
import { wholeLibrary } from './library.js';

/** Counts what was started and stopped: an older number is of a bench that nobody waits for. */
let current = 0;

/** @param {keyof typeof plans} plan */
export async function bench(plan) {
  const mine = ++current;
  const tell = (/** @type {string} */ what, about = {}) =>
    postMessage({ kind: `bench-${what}`, ...about });
  try {
    const pw = await wholeLibrary();
    const { isa, isaReason } = pw;
    tell('started', { isa, isaReason, calibration: calibrate(pw) });
    for await (const step of runBench(pw, plans[plan])) {
      tell('row', step);
      // What was said meanwhile is heard between two rows.
      await new Promise((resolve) => setTimeout(resolve));
      if (mine !== current) return;
    }
    tell('finished');
  } catch (error) {
    if (mine === current) tell('failed', { message: error.message });
  }
}

/** After the row that is being measured. */
export function stopBench() {
  ++current;
}
