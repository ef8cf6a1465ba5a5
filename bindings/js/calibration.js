/**
 * What this machine can do at most, in this engine and at this moment. Shares of these mean the same on a
 * slower machine or beside busy neighbours; absolute speeds do not.
 * @typedef {object} Calibration
 * @property {number} dotCeiling the best integer dot product of the instruction set with its addition, in
 *   registers only; in 10^9 operations a second, multiplications and additions counted apart
 * @property {number} streamRead 10^9 bytes a second, read once
 * @property {number} copy 10^9 bytes a second, copied once
 */

// Long enough to be timed by a clock of 0.1 ms, short enough to be left alone by other processes.
const iterations = 50_000;

/**
 * @param {import('./context.js').Context} context
 * @param {{ bytes?: number, milliseconds?: number }} options `bytes`: the size of the memory that is read and copied
 * @returns {Calibration}
 */
export function calibrate(context, { bytes = 8 << 20, milliseconds = 30 } = {}) {
  const { core, heap } = context;
  let operations = 0;
  const dot = fastest(milliseconds, () => (operations = 2 * core.dotCeiling(iterations)));
  return heap.borrow(2 * bytes, 'calibration', (address) => {
    const read = fastest(milliseconds, () => core.streamRead(address, bytes));
    const copy = fastest(milliseconds, () => core.copyBytes(address, address + bytes, bytes));
    return {
      dotCeiling: operations / dot / 1e6,
      streamRead: bytes / read / 1e6,
      copy: bytes / copy / 1e6,
    };
  });
}

/**
 * The shortest of as many runs as fit the time, and of three at least (the first may run unoptimized),
 * in milliseconds.
 * @param {number} milliseconds
 * @param {() => void} run
 */
function fastest(milliseconds, run) {
  let best = Infinity;
  const end = performance.now() + milliseconds;
  for (let runs = 0; runs < 3 || performance.now() < end; ++runs) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
