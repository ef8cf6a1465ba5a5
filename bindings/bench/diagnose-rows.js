import { PackedWeights } from 'packed-weights';
import { diagnoseGoal } from './goals.js';
import { MemoryRoom } from './memory-room.js';
import { encodingsOf, wants } from './plans.js';
import { passOver } from './rows.js';
import { fixedShare, timed } from './speeds.js';
import { fastest } from './stopwatch.js';
import { bellValues, randomBytes } from './weights.js';

/** PLAIN encodings that weights come in, without names asked for: values are looked at instead of blocks. */
const plain = ['F32', 'F16', 'BF16'];

/**
 * A diagnosis of bytes that are nothing of the reference: no mistake explains them, so every one is tried.
 * @param {PackedWeights} pw
 * @param {import('./plans.js').BenchPlan} plan
 * @returns {Generator<import('./rows.js').RowGroup>}
 */
export function* diagnoseGroups(pw, plan) {
  if (!wants(plan, 'diagnose')) return;
  const [out, inputDim] = plan.diagnosed;
  const unnamed = plan.encodings === undefined ? plain : [];
  for (const encoding of [...unnamed, ...encodingsOf(pw, plan, inputDim)]) {
    const run = () => [measure(pw, encoding, [out, inputDim], plan.milliseconds)];
    yield { ops: ['diagnose'], encoding, rows: 1, run };
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
  const { core } = PackedWeights.contextOf(pw);
  const { elements, bytes } = pw.encodings[encoding];
  const blocksPerRow = inputDim / elements;
  const size = out * blocksPerRow * bytes;
  const room = new MemoryRoom(pw);
  try {
    const [observed, reference] = [1, 2].map((seed) =>
      put(pw, room, encoding, out * inputDim, size, seed),
    );
    const run = () => {
      const { kind, message } = core.diagnose(
        ...[observed, size, encoding, false],
        ...[out, blocksPerRow, reference, size],
      );
      if (kind === undefined || kind === 'agrees') {
        throw new Error(`The bench went wrong: ${message}`);
      }
    };
    const row = timed('diagnose', fastest(run, milliseconds), 2 * size);
    const share = fixedShare(row, diagnoseGoal({ out, inputDim, size }));
    return { ...passOver(pw, encoding, [out, inputDim]), ...row, order: 'ROW_MAJOR', ...share };
  } finally {
    room.close();
  }
}

/**
 * Blocks of any bytes; of a PLAIN encoding values as weights have them.
 * @param {PackedWeights} pw
 * @param {MemoryRoom} room
 * @param {string} encoding
 * @param {number} count
 * @param {number} size
 * @param {number} seed
 * @returns {number} address
 */
function put(pw, room, encoding, count, size, seed) {
  if (!plain.includes(encoding)) return room.put(randomBytes(size, seed));
  const { core, heap } = PackedWeights.contextOf(pw);
  const to = room.take(size);
  const passing = new MemoryRoom(pw);
  try {
    const from = passing.take(4 * count);
    heap.floats(from, count).set(bellValues(count, seed));
    const report = core.quantizeInto(encoding, from, count, count, from, 0, to, size);
    if (report.failed) throw new Error(`The bench went wrong: ${report.message}`);
  } finally {
    passing.close();
  }
  return to;
}
