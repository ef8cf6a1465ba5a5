import { PackedError, PackedWeights } from 'packed-weights';
import { diagnoseGroups } from './diagnose-rows.js';
import { matmulGroups } from './matmul-rows.js';
import { passGroups } from './pass-rows.js';
import { blockSizesIn, inputsIn, requirePlan } from './plans.js';
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
  requireRows(pw, plan, groups);
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

/**
 * Refuses a plan of which nothing can be measured, or nothing of an encoding or an operation that it names: a run
 * without rows looks like one that went well.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('./plans.js').BenchPlan} plan
 * @param {readonly import('./rows.js').RowGroup[]} groups
 */
function requireRows(pw, plan, groups) {
  const measured = groups.filter(({ rows }) => rows > 0);
  const missing =
    plan.encodings?.find((name) => measured.every(({ encoding }) => encoding !== name)) ??
    plan.ops?.find((op) => !measured.some(({ ops }) => ops.includes(op))) ??
    (measured.length === 0 ? 'the plan' : undefined);
  if (missing === undefined) return;
  const sizes = blockSizesIn(
    pw,
    missing in pw.encodings ? { ...plan, encodings: [missing] } : plan,
  );
  const blocks = sizes && ` of ${sizes} values`;
  throw new PackedError(
    'INVALID_ARGUMENT',
    `Nothing of ${missing} can be measured: of a shape [out, in], in must be whole blocks${blocks} (here it is ${inputsIn(plan)}), and not every encoding has every operation; state another shape, or leave ${missing} out`,
    { expected: 'rows to measure', actual: 'none' },
  );
}
