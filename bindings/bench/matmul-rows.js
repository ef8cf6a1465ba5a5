import { recentDotCeiling, roomBesideProducts } from './calibration.js';
import { columnsGoal, matmulGoal } from './goals.js';
import { encodingsOf, wants } from './plans.js';
import { fastest } from './stopwatch.js';
import { repeatedBlocks } from './weights.js';

/**
 * The matrix products, as users call them.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('./plans.js').BenchPlan} plan
 * @returns {Generator<import('./rows.js').RowGroup>}
 */
export function* matmulGroups(pw, plan) {
  if (!wants(plan, 'gemv') && !wants(plan, 'gemm')) return;
  for (const { shape, columns, orders, activations } of plan.matmuls) {
    const wanted = columns.filter((n) => wants(plan, opOf(n)));
    for (const encoding of encodingsOf(pw, plan, shape[1])) {
      for (const order of orders) {
        yield {
          ops: wanted.map(opOf),
          encoding,
          rows: activations.length * wanted.length,
          *run() {
            const bytes = repeatedBlocks(pw, encoding, shape[0] * shape[1]);
            const view = pw.view(bytes, { encoding, shape, order });
            try {
              for (const activation of activations) {
                let single = 0;
                for (const n of wanted) {
                  const row = measure(pw, view, activation, n, single, plan.milliseconds);
                  if (n === 1) single = row.gops ?? 0;
                  yield row;
                }
              }
            } finally {
              view.dispose();
            }
          },
        };
      }
    }
  }
}

/** @param {number} n @returns {'gemv' | 'gemm'} */
function opOf(n) {
  return n === 1 ? 'gemv' : 'gemm';
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('packed-weights').View} view
 * @param {'int8' | 'f32'} activation
 * @param {number} n
 * @param {number} single gops of one column, 0 when it has not been measured
 * @param {number} milliseconds
 * @returns {import('./rows.js').BenchRow}
 */
function measure(pw, view, activation, n, single, milliseconds) {
  const [out, inputDim] = view.shape;
  const { encoding, order } = view;
  const x = Float32Array.from({ length: n * inputDim }, (_, i) => Math.sin(i * 0.7));
  const into = new Float32Array(n * out);
  let dot = 0;
  const best = fastest(
    () => pw.matmul(x, view, { activation, into }),
    milliseconds,
    () => (dot = Math.max(dot, recentDotCeiling(pw))),
  );
  const gops = (2 * out * inputDim * n) / best / 1e6;
  const run = { encoding, order, activation, isa: pw.isa, out, inputDim, n };
  const few = (n === 2 || n === 3) && single > 0;
  const ceiling = few ? n * single : dot;
  return {
    op: opOf(n),
    ...run,
    milliseconds: best,
    gops,
    gbps: view.byteLength / best / 1e6,
    of: few ? 'singleColumns' : 'dotCeiling',
    ceiling,
    share: gops / ceiling,
    goal: few ? columnsGoal : matmulGoal(run, roomBesideProducts(pw)),
  };
}
