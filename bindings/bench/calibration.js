import { PackedWeights } from 'packed-weights';
import { requireCount, requireLibrary, requireParts, requireTime } from './arguments.js';
import { MemoryRoom } from './memory-room.js';
import { fastest } from './stopwatch.js';

/**
 * What this machine can do at most, in this engine and at this moment. Shares of these mean the same on a
 * slower machine or beside busy neighbours; absolute speeds do not.
 * @typedef {object} Calibration
 * @property {number} dotCeiling the best integer dot product of the instruction set with its addition, in
 *   registers only; in 10^9 operations a second, multiplications and additions counted apart
 * @property {number} streamRead 10^9 bytes a second, read once
 * @property {number} copy 10^9 bytes a second, copied once
 */

// Some 50 microseconds: short enough to be left alone by other processes.
const iterations = 50_000;

/**
 * @param {PackedWeights} pw
 * @param {{ bytes?: number, milliseconds?: number }} [options] `bytes`: the size of the memory that is read
 *   and copied
 * @returns {Calibration}
 * @throws {import('packed-weights').PackedError} LOAD_FAILED before `pw.loadTools()`
 */
export function calibrate(pw, options) {
  requireLibrary(pw);
  const parts = { bytes: requireCount, milliseconds: requireTime };
  const given = options ?? {};
  requireParts('options', given, parts, Object.keys(parts));
  const { bytes = 8 << 20, milliseconds = 30 } = given;
  const room = new MemoryRoom(pw);
  try {
    const [from, to] = [room.take(bytes), room.take(bytes)];
    return {
      dotCeiling: dotCeiling(pw, milliseconds),
      streamRead: streamRead(pw, [from], bytes, milliseconds),
      copy: copy(pw, from, to, bytes, milliseconds),
    };
  } finally {
    room.close();
  }
}

/**
 * @param {PackedWeights} pw
 * @param {number} milliseconds
 */
export function dotCeiling(pw, milliseconds) {
  const { whole: core } = PackedWeights.contextOf(pw);
  let operations = 0;
  const best = fastest(() => (operations = 2 * core.dotCeiling(iterations)), milliseconds);
  return operations / best / 1e6;
}

/** @type {WeakMap<PackedWeights, { at: number, ceiling: number }>} */
const lastDots = new WeakMap();

/**
 * The same, not older than a tenth of a second: clocks change, and neighbours come and go.
 * @param {PackedWeights} pw
 */
export function recentDotCeiling(pw) {
  const last = lastDots.get(pw);
  if (last && performance.now() - last.at < 100) return last.ceiling;
  const ceiling = dotCeiling(pw, 1);
  lastDots.set(pw, { at: performance.now(), ceiling });
  return ceiling;
}

/** @type {WeakMap<PackedWeights, number>} */
const roomBeside = new WeakMap();

/**
 * Goals were stated for processors that begin four vector operations, of whatever kind, in the time of two
 * products; some begin three, and have less room for what is done besides. Measured once, by turns.
 * @param {PackedWeights} pw
 * @returns {number} a quarter of how many it is, at most 1
 */
export function roomBesideProducts(pw) {
  const known = roomBeside.get(pw);
  if (known !== undefined) return known;
  const { whole: core } = PackedWeights.contextOf(pw);
  const operationsOfProduct = pw.isa === 'relaxed' ? 32 : 16;
  let [products, others] = [0, 0];
  for (let turn = 0; turn < 10; turn++) {
    products = Math.max(products, dotCeiling(pw, 1) / operationsOfProduct);
    let operations = 0;
    const best = fastest(() => (operations = core.addCeiling(iterations)), 1);
    others = Math.max(others, operations / best / 1e6);
  }
  const inTheTime = products > 0 ? Math.round((2 * others) / products) : 4;
  const room = Math.max(1, Math.min(4, inTheTime)) / 4;
  roomBeside.set(pw, room);
  return room;
}

/**
 * @param {PackedWeights} pw
 * @param {number[]} from addresses, read one after the other
 * @param {number} bytes at each
 * @param {number} milliseconds
 */
export function streamRead(pw, from, bytes, milliseconds) {
  const { whole: core } = PackedWeights.contextOf(pw);
  const run = () => from.forEach((address) => core.streamRead(address, bytes));
  return (from.length * bytes) / fastest(run, milliseconds) / 1e6;
}

/**
 * @param {PackedWeights} pw
 * @param {number} from address
 * @param {number} to address
 * @param {number} bytes
 * @param {number} milliseconds
 */
export function copy(pw, from, to, bytes, milliseconds) {
  const { whole: core } = PackedWeights.contextOf(pw);
  return bytes / fastest(() => core.copyBytes(from, to, bytes), milliseconds) / 1e6;
}
