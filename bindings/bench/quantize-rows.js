import { PackedWeights } from 'packed-weights';
import { quantizeGoal } from './goals.js';
import { MemoryRoom } from './memory-room.js';
import { encodingsOf, wants } from './plans.js';
import { passOver } from './rows.js';
import { fixedShare, timed } from './speeds.js';
import { fastest } from './stopwatch.js';
import { bellValues } from './weights.js';

/**
 * @param {PackedWeights} pw
 * @param {import('./plans.js').BenchPlan} plan
 * @returns {Generator<import('./rows.js').RowGroup>}
 */
export function* quantizeGroups(pw, plan) {
  if (!wants(plan, 'quantize')) return;
  for (const encoding of encodingsOf(pw, plan, plan.quantized[1])) {
    if (!pw.encodings[encoding].quantizable) continue;
    const run = () => [measure(pw, encoding, plan.quantized, plan.milliseconds)];
    yield { ops: ['quantize'], encoding, rows: 1, run };
  }
}

/**
 * @param {PackedWeights} pw
 * @param {string} encoding
 * @param {[number, number]} shape
 * @param {number} milliseconds
 * @returns {import('./rows.js').BenchRow}
 */
function measure(pw, encoding, [out, inputDim], milliseconds) {
  const { core, heap } = PackedWeights.contextOf(pw);
  const { elements, bytes } = pw.encodings[encoding];
  const count = out * inputDim;
  const size = (count / elements) * bytes;
  const room = new MemoryRoom(pw);
  try {
    const [from, to] = [room.take(4 * count), room.take(size)];
    heap.floats(from, count).set(bellValues(count));
    const run = () => {
      const report = core.quantizeInto(encoding, from, count, inputDim, from, 0, to, size);
      if (report.failed) throw new Error(`The bench went wrong: ${report.message}`);
    };
    // Quantizers are long functions, one for each encoding: what engines compile at first runs several times as
    // long, and compiling them anew takes a while.
    const best = fastest(run, 6 * milliseconds);
    const row = timed('quantize', best, 4 * count);
    const share = fixedShare(row, quantizeGoal(encoding));
    return { ...passOver(pw, encoding, [out, inputDim]), ...row, order: null, ...share };
  } finally {
    room.close();
  }
}
