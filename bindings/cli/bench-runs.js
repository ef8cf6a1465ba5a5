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
 * @property {'gemv' | 'gemm'} op
 * @property {string} encoding
 * @property {string} order
 * @property {'int8' | 'f32'} activation
 * @property {string} isa
 * @property {number} out
 * @property {number} inputDim
 * @property {number} n columns
 * @property {number} milliseconds of the fastest run
 * @property {number} gops 10^9 multiplications and additions a second
 * @property {number} gbps 10^9 packed bytes a second
 * @property {number} dotCeiling what the machine could do at most between these runs, in gops
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
            for (const n of plan.columns) {
              const run = { encoding, order, activation, isa: pw.isa, out, inputDim, n };
              yield measure(pw, view, run, plan.milliseconds);
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
 * @param {Pick<BenchRow, 'encoding' | 'order' | 'activation' | 'isa' | 'out' | 'inputDim' | 'n'>} run
 * @param {number} milliseconds
 * @returns {BenchRow}
 */
function measure(pw, view, run, milliseconds) {
  const { out, inputDim, n, activation } = run;
  const x = Float32Array.from({ length: n * inputDim }, (_, i) => Math.sin(i * 0.7));
  const into = new Float32Array(n * out);
  const once = () => {
    const start = performance.now();
    pw.matmul(x, view, { activation, into });
    return performance.now() - start;
  };
  // Engines recompile what runs often.
  for (let warm = 0, spent = 0; warm < 5 && spent < milliseconds; warm++) spent += once();
  let best = Infinity;
  let dotCeiling = 0;
  const end = performance.now() + milliseconds;
  do {
    best = Math.min(best, once());
    // Taken between the runs, because clocks change and neighbours come and go.
    const calibration = pw.calibrate({ bytes: 4096, milliseconds: 1 });
    dotCeiling = Math.max(dotCeiling, calibration.dotCeiling);
  } while (performance.now() < end);
  const gops = (2 * out * inputDim * n) / best / 1e6;
  return {
    op: n === 1 ? 'gemv' : 'gemm',
    ...run,
    milliseconds: best,
    gops,
    gbps: view.byteLength / best / 1e6,
    dotCeiling,
    share: gops / dotCeiling,
    goal: goalOf(run),
  };
}
