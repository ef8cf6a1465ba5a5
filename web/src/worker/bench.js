/** The bench, in a worker of its own, so that it can be stopped at any moment and measures nothing else. */
import { calibrate, plans, runBench } from 'packed-weights/bench';
import { wholeLibrary } from './library.js';

/** @param {keyof typeof plans} plan */
export async function bench(plan) {
  try {
    const pw = await wholeLibrary();
    const { isa, isaReason } = pw;
    postMessage({ kind: 'started', isa, isaReason, calibration: calibrate(pw) });
    for await (const step of runBench(pw, plans[plan])) postMessage({ kind: 'row', ...step });
    postMessage({ kind: 'finished' });
  } catch (error) {
    postMessage({ kind: 'failed', message: error.message });
  }
}
