import { requireFloats, requireOptions } from './arguments.js';
import { PackedError, requireOneOf, unwrap } from './errors.js';
import { Scope } from './scope.js';
import { View } from './view.js';

/**
 * @typedef {object} MatmulOptions
 * @property {'f32' | 'int8'} [activation] `f32` multiplies every x as it is; `int8` rounds x to 8 bits per block
 *   first: several times faster, relative error below 1 % of the signal on ordinary data. Plain weights (F32, F16,
 *   BF16, ..) are multiplied as by `f32`, which `explain` says
 * @property {boolean} [prepackWeights] relayout the weight for this call where no kernel reads it as it lies; off by
 *   default, because inside a decode step it copies the whole weight per token. Where every encoding has kernels for
 *   both orders, as in what is published, it changes nothing
 * @property {Scope} [scope] owns what prepackWeights makes
 * @property {import('./trace.js').Sink} [sink]
 * @property {Float32Array} [into] where to write the result, columns * out long
 */

export const activations = /** @type {const} */ (['f32', 'int8']);

/**
 * x times the transpose of w.
 * @param {import('./context.js').Context} context
 * @param {Float32Array} x [columns, in] or [in]
 * @param {View} w [out, in]
 * @param {MatmulOptions} [options]
 * @returns {Float32Array} [columns, out]
 */
export function matmul(context, x, w, options) {
  const given = requireOptions(options, {
    activation: '',
    prepackWeights: 'boolean',
    scope: 'object',
    sink: 'object',
    into: 'object',
  });
  const { prepackWeights = false, scope, sink } = given;
  const keeper = context.sink(sink);
  const owner = scope === undefined ? null : Scope.handleOf(scope);
  return multiplied(context, x, w, given, (from, count, handle, to, results, activation) =>
    context.core.matmulInto(
      from,
      count,
      handle,
      to,
      results,
      activation,
      prepackWeights,
      owner,
      keeper.handle,
    ),
  );
}

/**
 * The same for a multiplication by a view that `run` makes.
 * @param {import('./context.js').Context} context
 * @param {Float32Array} x
 * @param {View} w
 * @param {{ activation?: 'f32' | 'int8', into?: Float32Array }} options
 * @param {(x: number, xCount: number, w: any, y: number, yCount: number, activation: string) => any} run
 * @returns {Float32Array}
 */
export function multiplied(context, x, w, options, run) {
  const handle = View.handleOf(w);
  return withOperands(context, x, sizesOf(handle.shape()), options, (from, count, ...rest) =>
    run(from, count, handle, ...rest),
  );
}

/**
 * Brings operands into the module's memory and the result out of it. Both places are kept, so that a second call of
 * the same shapes allocates nothing.
 * @param {import('./context.js').Context} context
 * @param {Float32Array} x
 * @param {number[]} sizes of the weight, [out, in]
 * @param {{ activation?: 'f32' | 'int8', into?: Float32Array }} options
 * @param {(x: number, xCount: number, y: number, yCount: number, activation: string) => any} run
 * @returns {Float32Array}
 */
export function withOperands(context, x, [out, inputDim], { activation = 'f32', into }, run) {
  context.requireIdle();
  requireFloats('x', x);
  requireOneOf('activation', activation, activations);
  const whole = inputDim > 0 ? x.length % inputDim === 0 : x.length === 0;
  const columns = columnsOf(x, inputDim, out, into);
  const result = into === undefined ? new Float32Array(columns * out) : requireFloats('into', into);
  // What is no whole rows the module refuses, which knows why.
  if (whole && result.length !== columns * out) {
    throw new PackedError(
      'SHAPE_MISMATCH',
      `into has room for ${result.length} values where ${columns} x ${out} are written`,
      { expected: String(columns * out), actual: String(result.length) },
    );
  }
  const { heap } = context;
  try {
    const xAddress = heap.keep('activations', x.byteLength);
    const yAddress = heap.keep('results', result.byteLength);
    heap.floats(xAddress, x.length).set(x);
    context.recheck();
    unwrap(run(xAddress, x.length, yAddress, result.length, activation));
    result.set(heap.floats(yAddress, result.length));
    return result;
  } catch (error) {
    // A call that found too little would hold for good what it did find.
    if (/** @type {any} */ (error).code === 'OUT_OF_MEMORY') heap.release('activations', 'results');
    throw error;
  }
}

/** @param {number[]} shape */
function sizesOf(shape) {
  // The module refuses other ranks with a message of its own.
  return shape.length === 1 ? [1, shape[0]] : shape.slice(-2);
}

/**
 * @param {Float32Array} x
 * @param {number} inputDim
 * @param {number} out
 * @param {Float32Array | undefined} into
 */
function columnsOf(x, inputDim, out, into) {
  if (inputDim > 0) return Math.floor(x.length / inputDim);
  // Rows of no values: only the place for the result says how many there are.
  return into && out > 0 ? into.length / out : 1;
}
