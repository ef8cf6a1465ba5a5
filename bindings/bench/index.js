/**
 * The bench: how fast the library is here, as shares of what this machine can do at most. It runs where
 * the library runs, in Node and in workers of browsers. `packed-weights bench` and the page show it.
 */
export { calibrate } from './calibration.js';
export { plans } from './plans.js';
export { documentOf, markdownOf, measured, speedOf, verdictOf } from './report.js';
export { ops } from './rows.js';
export { runBench } from './runs.js';

/** @typedef {import('./plans.js').BenchPlan} BenchPlan */
/** @typedef {import('./plans.js').MatmulPlan} MatmulPlan */
/** @typedef {import('./rows.js').BenchOp} BenchOp */
/** @typedef {import('./rows.js').BenchRow} BenchRow */
/** @typedef {import('./rows.js').RowGroup} RowGroup */
/** @typedef {import('./runs.js').BenchStep} BenchStep */
/** @typedef {import('./calibration.js').Calibration} Calibration */
