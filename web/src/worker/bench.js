/** A worker of its own for the bench, so that it can be stopped at any moment and measures nothing else. */
import { calibrate, plans, runBench } from 'packed-weights/bench';
import { library } from './library.js';

addEventListener('message', async ({ data: { plan } }) => {
  try {
    const pw = await library();
    const { isa, isaReason } = pw;
    postMessage({ kind: 'started', isa, isaReason, calibration: calibrate(pw) });
    for await (const step of runBench(pw, plans[plan])) postMessage({ kind: 'row', ...step });
    postMessage({ kind: 'finished' });
  } catch (error) {
    postMessage({ kind: 'failed', message: error.message });
  }
});
