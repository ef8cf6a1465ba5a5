/**
 * How long something takes, by a clock that may be coarse: browsers round theirs to 0.1 ms or 1 ms. What
 * is shorter than that is run several times between two looks at it.
 */

/** Of a batch: so many steps of the clock that a step more or less is 4 %. */
const stepsPerBatch = 25;

/** @type {number | undefined} */
let step;

/** The smallest difference that this engine's clock shows, in milliseconds. */
export function clockStep() {
  if (step !== undefined) return step;
  step = Infinity;
  for (let changes = 0, last = performance.now(); changes < 5;) {
    const now = performance.now();
    if (now === last) continue;
    step = Math.min(step, now - last);
    last = now;
    ++changes;
  }
  return step;
}

/**
 * The shortest time of one run, in milliseconds, among as many batches as fit the time (and two at least).
 * A third of the time goes ahead uncounted: engines compile again what runs often.
 * @param {() => void} run
 * @param {number} milliseconds
 * @param {() => void} [between] after each batch, uncounted
 */
export function fastest(run, milliseconds, between) {
  const start = performance.now();
  const shortest = stepsPerBatch * clockStep();
  let runs = 1;
  let best = Infinity;
  for (let batches = 0; batches < 2 || performance.now() - start < milliseconds;) {
    const spent = timeOf(run, runs);
    if (spent < shortest) {
      const factor = spent === 0 ? 8 : Math.min(8, (1.3 * shortest) / spent);
      runs = Math.ceil(runs * factor);
    } else if (performance.now() - start >= milliseconds / 3) {
      best = Math.min(best, spent / runs);
      ++batches;
      between?.();
    }
  }
  return best;
}

/**
 * @param {() => void} run
 * @param {number} runs
 */
function timeOf(run, runs) {
  const start = performance.now();
  for (let i = 0; i < runs; ++i) run();
  return performance.now() - start;
}
