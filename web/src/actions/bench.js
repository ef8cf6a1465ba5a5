import { onWorker, say, store, tellWorker } from '../page.js';
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

/** Told what the page's own worker measures, where it stands in. @type {((message: any) => void) | null} */
let standIn = null;
for (const kind of ['bench-started', 'bench-row', 'bench-finished', 'bench-failed']) {
  onWorker(kind, (message) => standIn?.(message));
}

/** @param {string} text @param {'plain' | 'error'} [tone] */
const sayThere = (text, tone) => say(text, tone, { tab: 'bench' });

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
  sayThere('Measuring this browser. Other work meanwhile makes its numbers smaller.');
  let started = false;
  const listen = (/** @type {any} */ { kind, ...about }) => {
    if (kind === 'bench-started') {
      started = true;
      show(about);
    } else if (kind === 'bench-row') {
      rows = [...rows, about.row];
      // The table is long, and rows may come by the hundred a second.
      if (performance.now() - lastShown > 150) show({ total: about.total });
    } else if (kind === 'bench-finished') {
      end('finished');
      sayThere(`Measured: ${formatCount(rows.length, 'row')}.`);
    } else if (kind === 'bench-failed') {
      end('failed', about.message);
      sayThere(about.message, 'error');
    }
  };
  // Without a network no second worker starts; the one that draws holds everything already.
  const standInFor = () => {
    stopWorker();
    standIn = listen;
    sayThere(
      'Measured in the worker that draws, as no other can be loaded: pictures wait meanwhile.',
    );
    tellWorker('bench', { plan });
  };
  worker = startWorker();
  worker.addEventListener('message', ({ data }) => {
    if (data.kind === 'bench-failed' && !started) standInFor();
    else listen(data);
  });
  worker.addEventListener('error', (event) => {
    if (started) end('failed', `The bench stopped: ${event.message}`);
    else standInFor();
  });
  worker.postMessage({ kind: 'bench', plan });
}

/** Keeps what has been measured so far. */
export function stopBench() {
  stopWorker();
  const { bench } = store.state;
  if (bench?.stage !== 'running') return;
  store.set({ bench: { ...bench, stage: 'stopped' } });
  sayThere(`Stopped after ${formatCount(bench.rows.length, 'row')}.`);
}

function stopWorker() {
  worker?.terminate();
  worker = null;
  if (standIn) tellWorker('stop-bench');
  standIn = null;
}
