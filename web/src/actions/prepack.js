import { onWorker, say, store, tellWorker } from '../page.js';
import { formatBytes, formatNanos } from '../words.js';
import { askLong } from './long.js';

/** What the worker says of a flight that has been stopped comes too late. */
let run = 0;

onWorker('flight', ({ t, of }) => of === run && store.set({ flight: t }));

/** The reader has the blocks in hand now. @param {number} flight */
export function holdFlight(flight) {
  run++;
  tellWorker('stop-playing');
  store.set({ flight });
}

/** Runs the real relayout, and shows it. */
export async function prepack() {
  const { grid, tab } = store.state;
  if (!grid) return;
  const place = { tab: ['orders', 'trace', tab], grid: grid.key };
  const result = await askLong('Prepacking', 'prepack', { key: grid.key }, place);
  if (!result || store.state.grid !== grid) return;
  store.set({ events: result.events });
  const done = result.events.slice(result.first).filter((e) => e.kind === 'AdapterInserted');
  for (const { what, bytes, nanos } of done) {
    say(`AdapterInserted ${what}: ${formatBytes(bytes)} in ${formatNanos(nanos)}.`, 'plain', place);
  }
  if (!done.length) say('Nothing was copied.', 'plain', place);
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    const { flight } = store.state;
    holdFlight(flight >= 1 ? 0 : flight >= 0.5 ? 1 : 0.5);
  } else {
    store.set({ flight: 0 });
    tellWorker('play', { millis: 1200, of: ++run });
  }
}
