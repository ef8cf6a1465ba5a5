import { PackedWeights } from 'packed-weights';
import { copy, streamRead } from './calibration.js';
import { decodeGoal, disagreementGoal, inPlaceGoal, relayoutGoal, scanGoal } from './goals.js';
import { MemoryRoom } from './memory-room.js';
import { encodingsOf, wants } from './plans.js';
import { passOver } from './rows.js';
import { fixedShare, shareOf, timed } from './speeds.js';
import { fastest } from './stopwatch.js';
import { makeScan } from './value-scan.js';
import { repeatedBlocks } from './weights.js';

/**
 * @typedef {import('./rows.js').BenchOp} BenchOp
 * @typedef {Omit<import('./rows.js').BenchRow, 'encoding' | 'activation' | 'isa' | 'out' | 'inputDim' | 'n' | 'gops'>} PassRow
 */

/**
 * What goes once over the bytes of a weight. It is measured in the module's memory: bringing bytes there
 * and back costs the same for all of it.
 * @param {PackedWeights} pw
 * @param {import('./plans.js').BenchPlan} plan
 * @returns {Generator<import('./rows.js').RowGroup>}
 */
export function* passGroups(pw, plan) {
  const wanted = passes.filter(([op]) => wants(plan, op));
  if (wanted.length === 0) return;
  for (const shape of plan.passes) {
    for (const encoding of encodingsOf(pw, plan, shape[1])) {
      yield {
        ops: wanted.map(([op]) => op),
        encoding,
        rows: wanted.length,
        *run() {
          const weight = new WeightTwice(pw, encoding, ...shape);
          const common = passOver(pw, encoding, shape);
          try {
            for (const [, measure] of wanted) {
              yield { ...common, ...measure(weight, plan.milliseconds) };
            }
          } finally {
            weight.room.close();
          }
        },
      };
    }
  }
}

/** A weight in the module's memory in both orders, and room for a third. */
class WeightTwice {
  /**
   * @param {PackedWeights} pw
   * @param {string} encoding
   * @param {number} out
   * @param {number} inputDim
   */
  constructor(pw, encoding, out, inputDim) {
    const { elements, bytes } = pw.encodings[encoding];
    this.pw = pw;
    this.core = PackedWeights.contextOf(pw).core;
    this.encoding = encoding;
    this.blockBytes = bytes;
    this.out = out;
    this.inputDim = inputDim;
    this.blocksPerRow = inputDim / elements;
    this.room = new MemoryRoom(pw);
    const file = repeatedBlocks(pw, encoding, out * inputDim);
    this.size = file.length;
    this.canonical = this.room.put(file);
    this.kernel = this.room.take(this.size);
    this.spare = this.room.take(this.size);
    this.toKernel(this.canonical, this.kernel);
    this.toCanonical(this.kernel, this.spare);
  }

  /** @param {number} from @param {number} to addresses; the same for in place */
  toKernel(from, to) {
    this.#relayout('ROW_MAJOR', from, 'INPUT_BLOCK_MAJOR', to);
  }

  /** @param {number} from @param {number} to */
  toCanonical(from, to) {
    this.#relayout('INPUT_BLOCK_MAJOR', from, 'ROW_MAJOR', to);
  }

  /** @param {string} order @param {number} observed */
  compare(order, observed) {
    const { core, encoding, out, blocksPerRow, canonical, size } = this;
    const kernelOrder = order === 'INPUT_BLOCK_MAJOR';
    expectNothing(
      core.disagreement(observed, size, encoding, kernelOrder, out, blocksPerRow, canonical, size),
    );
  }

  /** @param {string} from @param {number} source @param {string} to @param {number} target */
  #relayout(from, source, to, target) {
    const { core, encoding, out, blocksPerRow, size } = this;
    expectNothing(core.relayoutInto(encoding, out, blocksPerRow, from, source, to, target, size));
  }
}

/** @type {readonly [BenchOp, (weight: WeightTwice, milliseconds: number) => PassRow][]} */
const passes = [
  ['prepack', (weight, milliseconds) => relaid('prepack', weight, milliseconds)],
  ['canonical', (weight, milliseconds) => relaid('canonical', weight, milliseconds)],
  ['relayoutInPlace', inPlace],
  ['disagreement', (weight, milliseconds) => disagreement('ROW_MAJOR', weight, milliseconds)],
  [
    'disagreement',
    (weight, milliseconds) => disagreement('INPUT_BLOCK_MAJOR', weight, milliseconds),
  ],
  ['scan', scan],
  ['decode', decode],
];

/**
 * @param {'prepack' | 'canonical'} op
 * @param {WeightTwice} weight
 * @param {number} milliseconds
 * @returns {PassRow}
 */
function relaid(op, weight, milliseconds) {
  const { pw, canonical, kernel, spare, size } = weight;
  const copied = keepBest(() => copy(pw, canonical, spare, size, milliseconds / 8));
  const run =
    op === 'prepack'
      ? () => weight.toKernel(canonical, kernel)
      : () => weight.toCanonical(kernel, spare);
  const row = timed(op, inTurns(run, milliseconds, copied.take), size);
  const order = op === 'prepack' ? 'ROW_MAJOR' : 'INPUT_BLOCK_MAJOR';
  return { ...row, order, ...shareOf('copy', row, copied.best, relayoutGoal(weight)) };
}

/**
 * To kernel order and back, and half of it counted: each leaves what the other needs.
 * @param {WeightTwice} weight
 * @param {number} milliseconds
 * @returns {PassRow}
 */
function inPlace(weight, milliseconds) {
  const { canonical, kernel, spare, size } = weight;
  const twice = fastest(() => {
    weight.toKernel(spare, spare);
    weight.toCanonical(spare, spare);
  }, milliseconds);
  const elsewhere = fastest(() => {
    weight.toKernel(canonical, kernel);
    weight.toCanonical(kernel, spare);
  }, milliseconds / 2);
  const row = timed('relayoutInPlace', twice / 2, size);
  const ceiling = (2 * size) / elsewhere / 1e6;
  return { ...row, order: null, ...shareOf('relayout', row, ceiling, inPlaceGoal) };
}

/**
 * @param {'ROW_MAJOR' | 'INPUT_BLOCK_MAJOR'} order
 * @param {WeightTwice} weight
 * @param {number} milliseconds
 * @returns {PassRow}
 */
function disagreement(order, weight, milliseconds) {
  const { pw, canonical, kernel, spare, size } = weight;
  const observed = order === 'ROW_MAJOR' ? spare : kernel;
  // The same bytes, those of both weights: together they may not fit a cache that holds one.
  const read = keepBest(() => streamRead(pw, [canonical, observed], size, milliseconds / 8));
  const best = inTurns(() => weight.compare(order, observed), milliseconds, read.take);
  const row = timed('disagreement', best, 2 * size);
  return { ...row, order, ...shareOf('streamRead', row, read.best, disagreementGoal) };
}

/** @param {WeightTwice} weight @param {number} milliseconds @returns {PassRow} */
function scan(weight, milliseconds) {
  const row = timed('scan', fastest(makeScan(weight), milliseconds), weight.size);
  return { ...row, order: 'ROW_MAJOR', ...fixedShare(row, scanGoal(weight.encoding)) };
}

/** @param {WeightTwice} weight @param {number} milliseconds @returns {PassRow} */
function decode(weight, milliseconds) {
  const { core, encoding, canonical, size, room } = weight;
  const count = weight.out * weight.inputDim;
  const values = room.take(4 * count);
  const run = () => expectNothing(core.decodeInto(encoding, canonical, size, values, count));
  const row = timed('decode', fastest(run, milliseconds), 4 * count);
  return { ...row, order: 'ROW_MAJOR', ...fixedShare(row, decodeGoal(encoding)) };
}

/** @param {unknown} outcome of something that has nothing to say */
function expectNothing(outcome) {
  const { message } = /** @type {{ message?: string }} */ (outcome ?? {});
  if (message !== undefined) throw new Error(`The bench went wrong: ${message}`);
}

/**
 * The shortest time of one run, as `fastest`, in turns with what it is a share of: both again and again, so
 * that neither finds in the caches what only the other left there.
 * @param {() => void} run
 * @param {number} milliseconds
 * @param {() => void} measureCeiling
 */
function inTurns(run, milliseconds, measureCeiling) {
  const turns = 4;
  let best = Infinity;
  for (let turn = 0; turn < turns; ++turn) {
    best = Math.min(best, fastest(run, milliseconds / turns));
    measureCeiling();
  }
  return best;
}

/**
 * The best of what is measured anew whenever asked.
 * @param {() => number} measure
 */
function keepBest(measure) {
  const kept = {
    best: 0,
    take() {
      kept.best = Math.max(kept.best, measure());
    },
  };
  return kept;
}
