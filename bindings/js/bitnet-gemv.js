import { requireOptions } from './arguments.js';
import { multiplied, withOperands } from './matmul.js';
import { TernaryWeight } from './ternary-weight.js';

/**
 * One vector times a ternary weight, in either order.
 * @param {import('./context.js').Context} context
 * @param {Float32Array} x [in]
 * @param {import('./view.js').View | TernaryWeight} w [out, in]
 * @param {{ activation?: 'f32' | 'int8', into?: Float32Array, sink?: import('./trace.js').Sink }} [options]
 */
export function bitnetGemv(context, x, w, options) {
  const given = requireOptions(options, { activation: '', into: 'object', sink: 'object' });
  const keeper = context.sink(given.sink);
  if (w instanceof TernaryWeight) {
    const handle = TernaryWeight.handleOf(w, context);
    return withOperands(context, x, w.shape, given, (...operands) =>
      handle.gemvInto(...operands, keeper.handle),
    );
  }
  return multiplied(context, x, w, given, (...operands) =>
    context.core.gemvInto(...operands, keeper.handle),
  );
}
