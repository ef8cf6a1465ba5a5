import { PackedError } from 'packed-weights';
import {
  encodingOf,
  listOf,
  oneOf,
  requireCount,
  requireParts,
  requireShape,
  requireTime,
} from './arguments.js';
import { ops, orders, activations } from './rows.js';

/**
 * What is measured. Every list of shapes is [out, in].
 * @typedef {object} BenchPlan
 * @property {string[]} [encodings] all that have blocks, without it
 * @property {readonly import('./rows.js').BenchOp[]} [ops] all, without it
 * @property {MatmulPlan[]} matmuls
 * @property {[number, number][]} passes shapes of the weights that are decoded, relaid out, compared and scanned
 * @property {[number, number]} quantized shape of the values that are quantized
 * @property {[number, number]} diagnosed shape of the weight that is diagnosed
 * @property {number} milliseconds per row; six times as many for quantize
 * @property {number} settling milliseconds of work ahead of the first row: engines still compile the module
 *
 * @typedef {object} MatmulPlan
 * @property {[number, number]} shape
 * @property {number[]} columns
 * @property {('INPUT_BLOCK_MAJOR' | 'ROW_MAJOR')[]} orders
 * @property {('int8' | 'f32')[]} activations
 */

/** @type {Pick<MatmulPlan, 'orders' | 'activations'>} */
const both = { orders: ['INPUT_BLOCK_MAJOR', 'ROW_MAJOR'], activations: ['int8', 'f32'] };

/** @type {Readonly<Record<'whole' | 'quick' | 'tiny', BenchPlan>>} */
export const plans = Object.freeze({
  // Sizes of the goals: in the last cache, beyond it, and one that no vector divides.
  whole: {
    matmuls: [
      { shape: [4096, 4096], columns: [1, 2, 3, 4, 5, 6, 7, 8, 32, 128], ...both },
      { shape: [8192, 8192], columns: [1, 32], ...both },
      { shape: [1003, 2304], columns: [1, 3, 32], ...both },
    ],
    passes: [
      [4096, 4096],
      [8192, 8192],
      [1003, 2304],
    ],
    quantized: [256, 4096],
    diagnosed: [4096, 4096],
    milliseconds: 250,
    settling: 600,
  },
  // Every operation of every encoding within a minute.
  quick: {
    matmuls: [{ shape: [512, 4096], columns: [1, 2, 32], ...both }],
    passes: [[4096, 4096]],
    quantized: [16, 4096],
    diagnosed: [4096, 4096],
    milliseconds: 45,
    settling: 600,
  },
  // That it runs, not how fast.
  tiny: {
    encodings: ['Q4_0', 'Q4_K'],
    matmuls: [{ shape: [40, 512], columns: [1, 32], ...both }],
    passes: [[40, 512]],
    quantized: [8, 512],
    diagnosed: [8, 512],
    milliseconds: 1,
    settling: 0,
  },
});

/**
 * The encodings of a plan whose blocks divide a row.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {BenchPlan} plan
 * @param {number} inputDim
 */
export function encodingsOf(pw, plan, inputDim) {
  return namesIn(pw, plan).filter((name) => inputDim % pw.encodings[name].elements === 0);
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {BenchPlan} plan
 */
function namesIn(pw, { encodings }) {
  const all = Object.values(pw.encodings).filter(({ blocked }) => blocked);
  return encodings ?? all.map(({ name }) => name);
}

/**
 * How many values a block has, of each encoding of a plan, in words.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {BenchPlan} plan
 */
export function blockSizesIn(pw, plan) {
  const sizes = new Set(namesIn(pw, plan).map((name) => pw.encodings[name].elements));
  return [...sizes].sort((a, b) => a - b).join(' or ');
}

/** The in of each shape [out, in] of a plan, in words. @param {BenchPlan} plan */
export function inputsIn({ matmuls, passes, quantized, diagnosed }) {
  const shapes = [...(matmuls ?? []).map(({ shape }) => shape), ...(passes ?? [])];
  const all = [...shapes, quantized, diagnosed].filter((shape) => shape !== undefined);
  return [...new Set(all.map(([, inputDim]) => inputDim))].join(', ') || 'nowhere stated';
}

/**
 * @param {BenchPlan} plan
 * @param {import('./rows.js').BenchOp} op
 */
export function wants({ ops: wanted = ops }, op) {
  return wanted.includes(op);
}

/**
 * Refuses what is no plan, and one without the shapes that an operation of it needs.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {BenchPlan} plan
 */
export function requirePlan(pw, plan) {
  const shaped = ['encodings', 'ops', 'matmuls', 'passes', 'quantized', 'diagnosed'];
  requireParts(
    'plan',
    plan,
    {
      encodings: listOf(encodingOf(pw.encodings)),
      ops: listOf(oneOf(ops)),
      matmuls: listOf(requireMatmul),
      passes: listOf(requireShape),
      quantized: requireShape,
      diagnosed: requireShape,
      milliseconds: requireTime,
      settling: requireTime,
    },
    shaped,
  );
  for (const op of ops.filter((each) => wants(plan, each))) {
    const name = shapesFor(op);
    if (Array.isArray(plan[name])) continue;
    throw new PackedError(
      'INVALID_ARGUMENT',
      `plan.${name} is ${plan[name]}, and ${op} needs it: state it, or leave ${op} out of plan.ops`,
      { expected: 'shapes', actual: String(plan[name]) },
    );
  }
}

/** @type {import('./arguments.js').Check} */
function requireMatmul(name, matmul) {
  requireParts(name, matmul, {
    shape: requireShape,
    columns: listOf(requireCount),
    orders: listOf(oneOf(orders)),
    activations: listOf(oneOf(activations)),
  });
  const { shape, columns } = /** @type {MatmulPlan} */ (matmul);
  for (const n of columns) requireCount(`${name}: values of ${n} columns`, n * Math.max(...shape));
}

/** @param {import('./rows.js').BenchOp} op */
function shapesFor(op) {
  if (op === 'gemv' || op === 'gemm') return 'matmuls';
  if (op === 'quantize') return 'quantized';
  return op === 'diagnose' ? 'diagnosed' : 'passes';
}
