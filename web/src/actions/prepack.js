import { ask, attempt, say, store, tellWorker } from '../page.js';
import { formatBytes, formatNanos } from '../words.js';

/** Runs the real relayout, and shows it. */
export async function prepack() {
  const { grid } = store.state;
  if (!grid) return;
  const result = await attempt(ask('prepack', { key: grid.key }));
  if (!result) return;
  store.set({ events: result.events });
  const done = result.events.slice(result.first).filter((e) => e.kind === 'AdapterInserted');
  for (const { what, bytes, nanos } of done) {
    say(`AdapterInserted ${what}: ${formatBytes(bytes)} in ${formatNanos(nanos)}.`);
  }
  if (!done.length) say('Nothing was copied.');
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    const { flight } = store.state;
    store.set({ flight: flight >= 1 ? 0 : flight >= 0.5 ? 1 : 0.5 });
  } else {
    store.set({ flight: 0 });
    tellWorker('play', { millis: 1200 });
  }
}
