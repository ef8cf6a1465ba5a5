/**
 * Whether the kernels of every module compute the same, in this engine. For Node and for pages: it
 * takes the package's `load` and uses nothing else.
 */
import { PseudoRandom } from './pseudo-random.js';
import { blockedEncodings, finiteWeight } from './weights.js';

const orders = /** @type {const} */ (['ROW_MAJOR', 'INPUT_BLOCK_MAJOR']);
const activations = /** @type {const} */ (['int8', 'f32']);

/**
 * [rows, columns]: every remainder of four and eight rows and of four columns, below and above them.
 * @type {[number, number][]}
 */
const shapes = [
  ...Array.from({ length: 20 }, (_, i) => /** @type {[number, number]} */ ([i + 1, (i % 5) + 1])),
  ...[1, 2, 3, 4, 5, 33].map((columns) => /** @type {[number, number]} */ ([67, columns])),
];

/** The modules that run here; the scalar kernels, which are the specification, come first. */
async function modules(load) {
  const all = [await load({ isa: 'scalar' }), await load({ isa: 'simd128' })];
  try {
    all.push(await load({ isa: 'relaxed' }));
  } catch (error) {
    if (error.code !== 'LOAD_FAILED') throw error;
  }
  return all;
}

/**
 * @param {(options: object) => Promise<any>} load
 * @param {{ encodings?: string[] }} [options] only these encodings
 * @returns {Promise<{ isas: string[], compared: number, wrong: string[] }>} `wrong` names what differs from the
 *   scalar kernels
 */
export async function compareKernels(load, { encodings } = {}) {
  const all = await modules(load);
  const wrong = [];
  let compared = 0;
  for (const encoding of encodings ?? blockedEncodings(all[0])) {
    for (const [rows, columns] of shapes) {
      for (const content of ['finite', 'arbitrary']) {
        const weight = weightOf(all[0], encoding, rows, content);
        const x = activationsOf(columns, weight.inputDim);
        for (const order of orders) {
          for (const activation of activations) {
            const [specified, ...others] = all.map((pw) =>
              product(pw, weight, order, x, activation),
            );
            others.forEach((y, i) => {
              ++compared;
              const at = firstDifference(specified, y);
              if (at === -1) return;
              const { isa } = all[i + 1];
              const where = `${encoding} ${rows} x ${columns} ${content} ${order} ${activation} ${isa}`;
              wrong.push(`${where}: y[${at}] is ${y[at]}, not ${specified[at]}`);
            });
          }
        }
      }
    }
  }
  return { isas: all.map(({ isa }) => isa), compared, wrong };
}

/** Arbitrary bytes hold scales that are subnormal, negative, infinite and NaN. */
function weightOf(pw, encoding, rows, content) {
  const blocksPerRow = 3 - (rows % 2);
  const weight = finiteWeight(pw, encoding, rows, blocksPerRow, rows);
  if (content === 'finite') return weight;
  const bytes = new PseudoRandom(rows).bytes(weight.bytes.length);
  const { inputDim } = weight;
  return pw.pack(bytes, { encoding, out: rows, inputDim, order: 'ROW_MAJOR' });
}

/** Ordinary columns, and among them one of nothing, one at both ends of int8, one of extreme sizes. */
function activationsOf(columns, inputDim) {
  const x = new PseudoRandom(columns).floats(columns * inputDim);
  if (columns > 1) x.fill(0, 0, inputDim);
  if (columns > 2)
    x.subarray(inputDim, 2 * inputDim).forEach((v, i, all) => (all[i] = v < 0 ? -1 : 1));
  if (columns > 3)
    x.subarray(2 * inputDim, 3 * inputDim).forEach((v, i, all) => (all[i] = v * 1e-30));
  return x;
}

function product(pw, weight, order, x, activation) {
  const packed = pw.pack(weight.bytes, weight);
  const view = pw.view(order === 'ROW_MAJOR' ? packed : pw.toKernelOrder(packed));
  try {
    return pw.matmul(x, view, { activation });
  } finally {
    view.dispose();
  }
}

/** Index of the first float that differs in its bits, NaN being like NaN; -1 for none. */
function firstDifference(a, b) {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  return a.findIndex((value, i) => !Object.is(value, b[i]));
}
