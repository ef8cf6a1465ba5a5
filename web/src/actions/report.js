import { ask, complain, explained, say, store } from '../page.js';
import { formatCount } from '../words.js';
import { begun } from './long.js';

let request = 0;

/** @typedef {{ profile: 'spec' | 'llama', tensorData: boolean }} How */

/**
 * Checks the opened file, or the one that could not be opened. What is shown meanwhile is the report before it,
 * unless that one is by other rules.
 * @param {How} how
 */
export async function check(how) {
  const { source, rejected, report: before } = store.state;
  const mine = ++request;
  const asked = () =>
    mine === request && store.state.source === source && store.state.rejected === rejected;
  const slow = how.tensorData && !rejected;
  const place = { tab: 'report', file: source?.name ?? null };
  store.set({
    profile: how.profile,
    report: before?.profile === how.profile ? before : null,
    notChecked: null,
  });
  const bar = slow ? begun('Checking the values', { total: source.size }) : null;
  try {
    const report = await ask('validate', how, [], bar?.told).finally(() => bar?.ended());
    if (!asked()) return;
    store.set({ report });
    const found = formatCount(report.findings.length, 'finding');
    if (how.tensorData) say(`Checked: ${found}.`, 'plain', place);
  } catch (error) {
    if (!asked()) return;
    const cancelled = error.name === 'AbortError';
    store.set({ notChecked: { reason: cancelled ? 'Cancelled.' : explained(error), how } });
    if (!cancelled) complain(error, place);
  }
}

// What a check needs may come later than the check.
store.subscribe((now, before) => {
  const { tools, source, report, notChecked } = now;
  if (!tools || before.tools || !source || report || !notChecked) return;
  void check({ ...notChecked.how, tensorData: false });
});
