import { say, store } from '../page.js';
import { startWorker } from '../start-worker.js';
import { formatCount } from '../words.js';

/**
 * @typedef {object} BenchState
 * @property {'running' | 'finished' | 'stopped' | 'failed'} stage
 * @property {string} message of a failure
 * @property {string} isa
 * @property {string} isaReason
 * @property {any} calibration
 * @property {any[]} rows
 * @property {number} total
 */

/** @type {Worker | null} */
let worker = null;

/** Measures the library in this browser, from the beginning. */
export function startBench() {
  stopWorker();
  // ?bench=tiny, for tests.
  const plan = new URLSearchParams(location.search).get('bench') ?? 'quick';
  /** @type {any[]} */
  let rows = [];
  let lastShown = 0;
  const show = (/** @type {Partial<BenchState>} */ patch) => {
    lastShown = performance.now();
    store.set({ bench: { .../** @type {BenchState} */ (store.state.bench), rows, ...patch } });
  };
  const end = (/** @type {BenchState['stage']} */ stage, message = '') => {
    stopWorker();
    show({ stage, message });
  };
  store.set({
    bench: {
      stage: 'running',
      message: '',
      isa: '',
      isaReason: '',
      calibration: null,
      rows,
      total: 0,
    },
  });
  say('Measuring this browser. Other work meanwhile makes its numbers smaller.');
  worker = startWorker();
  worker.addEventListener('message', ({ data: { kind, ...about } }) => {
    if (kind === 'started') return show(about);
    if (kind === 'row') {
      rows = [...rows, about.row];
      // The table is long, and rows may come by the hundred a second.
      if (performance.now() - lastShown > 150) show({ total: about.total });
      return;
    }
    if (kind === 'finished') {
      end('finished');
      say(`Measured: ${formatCount(rows.length, 'row')}.`);
    } else if (kind === 'failed') {
      end('failed', about.message);
      say(about.message, 'error');
    }
  });
  worker.addEventListener('error', (event) => {
    end('failed', `The bench stopped: ${event.message || 'it could not be loaded'}`);
  });
  worker.postMessage({ kind: 'bench', plan });
}

/** Keeps what has been measured so far. */
export function stopBench() {
  stopWorker();
  const { bench } = store.state;
  if (bench?.stage !== 'running') return;
  store.set({ bench: { ...bench, stage: 'stopped' } });
  say(`Stopped after ${formatCount(bench.rows.length, 'row')}.`);
}

function stopWorker() {
  worker?.terminate();
  worker = null;
}
