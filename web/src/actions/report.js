import { ask, complain, say, store } from '../page.js';
import { formatCount } from '../words.js';

/** @param {{ profile: 'spec' | 'llama', tensorData: boolean }} how */
export async function check(how) {
  const { source } = store.state;
  if (!source) return;
  if (how.tensorData) store.set({ progress: { what: 'Checking the values', done: 0, total: source.size } });
  try {
    const report = await ask('validate', how);
    if (store.state.source !== source) return;
    store.set({ report });
    if (how.tensorData) say(`Checked: ${formatCount(report.findings.length, 'finding')}.`);
  } catch (error) {
    if (store.state.source === source) complain(error);
  } finally {
    if (how.tensorData) store.set({ progress: null });
  }
}
