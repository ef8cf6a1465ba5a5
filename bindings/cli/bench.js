import { load, PackedError } from 'packed-weights';
import { tolerance } from './bench-goals.js';
import { runBench } from './bench-runs.js';
import { exitCodes, parse, printJson, printLines, UsageError } from './command.js';

/** @type {import('./verbs.js').Verb} */
export const bench = {
  name: 'bench',
  usage:
    'bench [ENCODING ...] [--quick] [--isa simd128|relaxed] [--shape OUTxIN] [--milliseconds N] [--json]',
  summary:
    'Measures the kernels beside what this machine can do at most, and says which miss their goal.',
  run,
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    isa: { type: 'string' },
    shape: { type: 'string' },
    milliseconds: { type: 'string' },
  });
  const isas = values.isa === undefined ? ['simd128', 'relaxed'] : [values.isa];
  /** @type {import('./bench-runs.js').BenchRow[]} */
  const results = [];
  let calibration;
  for (const isa of isas) {
    const pw = await loadIfPossible(isa, values.isa !== undefined);
    if (!pw) continue;
    const plan = planOf(pw, positionals, values);
    calibration = pw.calibrate();
    if (!values.json) printLines(...headOf(isa, calibration));
    for (const row of runBench(pw, plan)) {
      results.push(row);
      if (!values.json) printLines(lineOf(row));
    }
  }
  // Each result names the ceiling of its own module; the one here is of the widest.
  if (values.json) printJson({ schemaVersion: 1, node: process.version, calibration, results });
  return exitCodes.clean;
}

/**
 * @param {string} isa
 * @param {boolean} asked
 */
async function loadIfPossible(isa, asked) {
  try {
    return await load({ isa: /** @type {any} */ (isa) });
  } catch (error) {
    if (asked || !(error instanceof PackedError)) throw error;
    return null;
  }
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string[]} wanted
 * @param {Record<string, any>} options
 * @returns {import('./bench-runs.js').BenchPlan}
 */
function planOf(pw, wanted, { quick, shape, milliseconds }) {
  const blocked = Object.values(pw.encodings)
    .filter((encoding) => encoding.blocked)
    .map(({ name }) => name);
  for (const name of wanted) {
    if (!blocked.includes(name)) {
      throw new UsageError(
        `There are no packed kernels for "${name}", only for ${blocked.join(', ')}.`,
      );
    }
  }
  const plan = quick ? quickPlan : wholePlan;
  return {
    ...plan,
    encodings: wanted.length > 0 ? wanted : blocked,
    // f32 kernels are the same in both modules.
    activations: quick && pw.isa === 'relaxed' ? ['int8'] : ['int8', 'f32'],
    shapes: shape === undefined ? plan.shapes : [shapeOf(shape)],
    milliseconds: milliseconds === undefined ? plan.milliseconds : wholeNumber(milliseconds),
  };
}

/** @type {Omit<import('./bench-runs.js').BenchPlan, 'encodings' | 'activations'>} */
const quickPlan = {
  orders: ['INPUT_BLOCK_MAJOR'],
  columns: [1, 32],
  shapes: [[256, 4096]],
  milliseconds: 60,
};

/** @type {Omit<import('./bench-runs.js').BenchPlan, 'encodings' | 'activations'>} */
const wholePlan = {
  orders: ['INPUT_BLOCK_MAJOR', 'ROW_MAJOR'],
  columns: [1, 2, 3, 4, 8, 32, 128],
  shapes: [
    [4096, 4096],
    [8192, 8192],
    [1003, 2304],
  ],
  milliseconds: 300,
};

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
 * @param {ReturnType<import('packed-weights').PackedWeights['calibrate']>} calibration
 */
function headOf(isa, { dotCeiling, streamRead, copy }) {
  return [
    `${isa}: dotCeiling ${dotCeiling.toFixed(0)} GOPS, streamRead ${streamRead.toFixed(1)} GB/s, copy ${copy.toFixed(1)} GB/s`,
    'encoding  order      activation   out x in       n        ms    GOPS    GB/s   share    goal',
  ];
}

/** @param {import('./bench-runs.js').BenchRow} row */
function lineOf(row) {
  const { goal, share } = row;
  const verdict =
    goal === null ? '' : share >= goal ? 'reached' : share >= tolerance * goal ? 'close' : 'MISSED';
  return [
    row.encoding.padEnd(8),
    (row.order === 'ROW_MAJOR' ? 'row' : 'kernel').padEnd(9),
    row.activation.padEnd(11),
    `${row.out} x ${row.inputDim}`.padEnd(12),
    String(row.n).padStart(3),
    row.milliseconds.toFixed(3).padStart(9),
    row.gops.toFixed(1).padStart(7),
    row.gbps.toFixed(1).padStart(7),
    `${(100 * share).toFixed(1)} %`.padStart(7),
    goal === null ? ''.padStart(7) : `${(100 * goal).toFixed(0)} %`.padStart(7),
    verdict,
  ]
    .join('  ')
    .trimEnd();
}
