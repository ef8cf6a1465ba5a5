/**
 * One browser of each engine for all tests of a process: it starts with the first of them and ends with the last.
 * What pages keep, they keep for an origin, and each group of tests serves its own.
 */
import { endBrowser, launchBrowser, vanished } from './browser.js';

/** @typedef {import('./browser.js').Engine} Engine */

/** @type {Map<Engine, { groups: number, browser: any, gone: Promise<never> }>} */
const common = new Map();

const of = (/** @type {Engine} */ engine) => {
  if (!common.has(engine)) common.set(engine, { groups: 0, browser: null, gone: null });
  return common.get(engine);
};

/** Says, before any test runs, that a group will want it. @param {Engine} engine */
export function expectGroup(engine) {
  of(engine).groups++;
}

/**
 * Where one has died, another starts.
 * @param {Engine} engine
 * @returns {Promise<{ browser: any, gone: Promise<never> }>}
 */
export async function enter(engine) {
  const held = of(engine);
  if (!held.browser?.connected) {
    held.browser = await launchBrowser(engine);
    held.gone = vanished(engine, held.browser);
  }
  return held;
}

/** @param {Engine} engine */
export async function leave(engine) {
  const held = of(engine);
  if (--held.groups > 0 || !held.browser) return;
  await endBrowser(held.browser);
  held.browser = null;
}
