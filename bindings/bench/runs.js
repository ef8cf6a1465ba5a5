import { PackedWeights } from 'packed-weights';
import { diagnoseGroups } from './diagnose-rows.js';
import { matmulGroups } from './matmul-rows.js';
import { passGroups } from './pass-rows.js';
import { requirePlan } from './plans.js';
import { requireLibrary } from './arguments.js';
import { quantizeGroups } from './quantize-rows.js';

/**
 * @typedef {object} BenchStep
 * @property {import('./rows.js').BenchRow} row
 * @property {number} done rows so far
 * @property {number} total
 */

/**
 * Runs a plan on a loaded library, a row at a time: whoever asks for the next one decides when, and stops
 * by asking no more. Needs a `pw` of the package's main entry.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('./plans.js').BenchPlan} plan
 * @returns {AsyncGenerator<BenchStep, void, void>}
 */
export async function* runBench(pw, plan) {
  requirePlan(requireLibrary(pw), plan);
  // The scan is the validator's, and what is measured first of all needs the tools.
  await PackedWeights.contextOf(pw).files();
  const groups = [matmulGroups, passGroups, quantizeGroups, diagnoseGroups].flatMap((groupsOf) => [
    ...groupsOf(pw, plan),
  ]);
  const total = groups.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  // The first rows again and again, uncounted.
  const start = performance.now();
  while (groups.length > 0 && performance.now() - start < plan.settling) {
    for (const _ of groups[0].run()) if (performance.now() - start >= plan.settling) break;
  }
  for (const { run } of groups) {
    for (const row of run()) yield { row, done: ++done, total };
  }
}
