import { load, PackedError } from 'packed-weights';
import {
  calibrate,
  documentOf,
  measured,
  ops,
  plans,
  runBench,
  speedOf,
  verdictOf,
} from 'packed-weights/bench';
import { exitCodes, parse, printJson, printLines, UsageError } from './command.js';

/** @type {import('./verbs.js').Verb} */
export const bench = {
  name: 'bench',
  usage:
    'bench [ENCODING ...] [--quick] [--op NAME] [--isa simd128|relaxed|scalar] [--shape OUTxIN] [--milliseconds N] [--json]',
  summary: `Measures the library beside what this machine can do at most, and says what misses its goal. NAME is ${ops.join(', ')}.`,
  run,
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    op: { type: 'string' },
    isa: { type: 'string' },
    shape: { type: 'string' },
    milliseconds: { type: 'string' },
  });
  /** @type {import('packed-weights/bench').BenchRow[]} */
  const results = [];
  let calibration;
  for (const pw of await libraries(values)) {
    const plan = planOf(pw, positionals, values);
    calibration = calibrate(pw);
    for await (const { row, done } of runBench(pw, plan)) {
      results.push(row);
      if (values.json) continue;
      if (done === 1) printLines(headOf(pw.isa, calibration));
      printLines(lineOf(row));
    }
  }
  // The one here is of the widest instruction set; each result names the ceiling of its own.
  if (values.json) printJson(documentOf(calibration, results));
  else printLines(summaryOf(results));
  return exitCodes.clean;
}

/**
 * The one asked for; with --quick the best that runs here, otherwise all that do.
 * @param {{ isa?: string, quick?: boolean }} options
 */
async function libraries({ isa, quick }) {
  if (isa !== undefined) return [await load({ isa: /** @type {any} */ (isa) })];
  if (quick) return [await load()];
  const loaded = [await load({ isa: 'simd128' })];
  try {
    loaded.push(await load({ isa: 'relaxed' }));
  } catch (error) {
    if (!(error instanceof PackedError)) throw error;
  }
  return loaded;
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string[]} wanted
 * @param {Record<string, any>} options
 * @returns {import('packed-weights/bench').BenchPlan}
 */
function planOf(pw, wanted, { quick, op, shape, milliseconds }) {
  // Nothing but a diagnosis is of plain values as well.
  const known = Object.values(pw.encodings)
    .filter((encoding) => encoding.blocked || op === 'diagnose')
    .map(({ name }) => name);
  for (const name of wanted) {
    if (!known.includes(name)) {
      throw new UsageError(
        `There are no packed kernels for "${name}", only for ${known.join(', ')}.`,
      );
    }
  }
  const plan = { ...(quick ? plans.quick : plans.whole) };
  if (wanted.length > 0) plan.encodings = wanted;
  if (op !== undefined) plan.ops = [requireOp(op)];
  if (milliseconds !== undefined) plan.milliseconds = wholeNumber(milliseconds);
  if (shape !== undefined) {
    const sizes = shapeOf(shape);
    plan.matmuls = [{ ...plan.matmuls[0], shape: sizes }];
    plan.passes = [sizes];
    plan.quantized = sizes;
    plan.diagnosed = sizes;
  }
  return plan;
}

/** @param {string} op */
function requireOp(op) {
  const known = ops.find((name) => name === op);
  if (known) return known;
  throw new UsageError(`--op is one of ${ops.join(', ')}.`);
}

/**
 * @param {string} text for example 4096x4096
 * @returns {[number, number]}
 */
function shapeOf(text) {
  const sizes = text.split('x');
  if (sizes.length !== 2) throw new UsageError(`--shape is OUTxIN, for example 4096x4096.`);
  return [wholeNumber(sizes[0]), wholeNumber(sizes[1])];
}

/** @param {string} text */
function wholeNumber(text) {
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`"${text}" is no whole number above 0.`);
  return Number(text);
}

/**
 * @param {string} isa
 * @param {import('packed-weights/bench').Calibration} calibration
 */
function headOf(isa, { dotCeiling, streamRead, copy }) {
  return [
    `${isa}: dotCeiling ${dotCeiling.toFixed(0)} GOPS, streamRead ${streamRead.toFixed(1)} GB/s, copy ${copy.toFixed(1)} GB/s`,
    'op               encoding  what                           out x in          ms          speed  share of what            goal',
  ];
}

/** @param {import('packed-weights/bench').BenchRow} row */
function lineOf(row) {
  const { op, encoding, out, inputDim, milliseconds, share, of, goal } = row;
  const verdict = verdictOf(row);
  return [
    op.padEnd(15),
    encoding.padEnd(8),
    measured(row).padEnd(27),
    `${out} x ${inputDim}`.padStart(11),
    milliseconds.toFixed(3).padStart(10),
    speedOf(row).padStart(13),
    goal === null && of === 'fixed' ? ''.padEnd(19) : `${percent(share)} ${of}`.padEnd(19),
    goal === null ? ''.padStart(7) : percent(goal),
    verdict === 'missed' ? 'MISSED' : (verdict ?? ''),
  ]
    .join('  ')
    .trimEnd();
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(0)} %`.padStart(7);

/** @param {import('packed-weights/bench').BenchRow[]} results */
function summaryOf(results) {
  const verdicts = results.map(verdictOf);
  const count = (/** @type {string | null} */ wanted) =>
    verdicts.filter((verdict) => verdict === wanted).length;
  return [
    `${count('reached')} goals reached, ${count('close')} by less than a fifth not, ${count('missed')} missed; ${count(null)} rows without a goal`,
  ];
}
