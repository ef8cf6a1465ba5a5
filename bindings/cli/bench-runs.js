import { goalOf } from './bench-goals.js';

/**
 * @typedef {object} BenchPlan
 * @property {string[]} encodings
 * @property {('INPUT_BLOCK_MAJOR' | 'ROW_MAJOR')[]} orders
 * @property {('int8' | 'f32')[]} activations
 * @property {number[]} columns
 * @property {[number, number][]} shapes [out, in]
 * @property {number} milliseconds per run
 *
 * @typedef {object} BenchRow
 * @property {string} isa
 * @property {string} encoding
 * @property {string} order
 * @property {string} activation
 * @property {number} out
 * @property {number} inputDim
 * @property {number} columns
 * @property {number} milliseconds of the fastest run
 * @property {number} gops 10^9 multiplications and additions a second
 * @property {number} gigabytes 10^9 packed bytes a second
 * @property {number} share of dotCeiling
 * @property {number | null} goal the share that it should be
 */

/**
 * Runs a plan on a loaded library. Works in Node and in browsers.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {BenchPlan} plan
 * @returns {Generator<BenchRow>}
 */
export function* runBench(pw, plan) {
  for (const [out, inputDim] of plan.shapes) {
    for (const encoding of plan.encodings) {
      if (inputDim % pw.encodings[encoding].elements !== 0) continue;
      const bytes = repeated(pw, encoding, out, inputDim);
      for (const order of plan.orders) {
        const view = pw.view(bytes, { encoding, shape: [out, inputDim], order });
        try {
          for (const activation of plan.activations) {
            for (const columns of plan.columns) {
              yield measure(
                pw,
                view,
                { encoding, order, activation, columns, out, inputDim },
                plan,
              );
            }
          }
        } finally {
          view.dispose();
        }
      }
    }
  }
}

/**
 * Real blocks, over and over: random bytes would be scales that are infinite.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string} encoding
 * @param {number} out
 * @param {number} inputDim
 */
function repeated(pw, encoding, out, inputDim) {
  const { bytes: sample } = pw.fixtures.decodable(encoding);
  const { bytes: blockBytes, elements } = pw.encodings[encoding];
  const all = new Uint8Array((out * inputDim * blockBytes) / elements);
  all.set(sample.subarray(0, all.length));
  for (let done = sample.length; done < all.length; done *= 2) {
    all.copyWithin(done, 0, Math.min(done, all.length - done));
  }
  return all;
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('packed-weights').View} view
 * @param {{ encoding: string, order: string, activation: any, columns: number, out: number, inputDim: number }} run
 * @param {BenchPlan} plan
 * @returns {BenchRow}
 */
function measure(pw, view, run, plan) {
  const { out, inputDim, columns, activation } = run;
  const x = Float32Array.from({ length: columns * inputDim }, (_, i) => Math.sin(i * 0.7));
  const into = new Float32Array(columns * out);
  let best = Infinity;
  let ceiling = 0;
  // Engines recompile what runs often; and the ceiling is taken between runs, because clocks change.
  for (let warm = 0; warm < 5; warm++) pw.matmul(x, view, { activation, into });
  const end = performance.now() + plan.milliseconds;
  do {
    const start = performance.now();
    pw.matmul(x, view, { activation, into });
    best = Math.min(best, performance.now() - start);
    ceiling = Math.max(ceiling, pw.calibrate({ bytes: 4096, milliseconds: 1 }).dotCeiling);
  } while (performance.now() < end);
  const gops = (2 * out * inputDim * columns) / best / 1e6;
  const row = { isa: pw.isa, ...run };
  return {
    ...row,
    milliseconds: best,
    gops,
    gigabytes: view.byteLength / best / 1e6,
    share: gops / ceiling,
    goal: goalOf(row),
  };
}
