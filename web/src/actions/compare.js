import { say, store } from '../page.js';
import { askLong } from './long.js';
import { lookAt } from './looking.js';

/**
 * Holds a file, or an example of a mistake, against the shown weight.
 * @param {{ kernelOrder: boolean, file?: File, example?: string }} about
 */
export async function compare(about) {
  const { grid } = store.state;
  if (!grid) return;
  const place = { tab: 'compare', grid: grid.key };
  const result = await askLong('Comparing', 'compare', { key: grid.key, ...about }, place);
  if (!result || store.state.grid?.key !== result.gridKey) return;
  store.set({ comparison: { ...result, id: (store.state.comparison?.id ?? 0) + 1 } });
  const { disagreement: found } = result;
  const verdict = found ? found.message : `${result.name} agrees: every block is in its place.`;
  say(verdict, 'plain', place);
  if (found && Number.isInteger(found.o) && Number.isInteger(found.b))
    lookAt({ o: found.o, b: found.b }, true);
}
