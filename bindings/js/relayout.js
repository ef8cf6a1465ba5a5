import { requireBytes, requireOptions } from './arguments.js';
import { PackedError, unwrap } from './errors.js';
import { PackedBytes } from './packed-bytes.js';
import { Scope } from './scope.js';
import { View, toConvert } from './view.js';

/**
 * Bytes in an order: the same object where they are in it.
 * @param {import('./context.js').Context} context
 * @param {PackedBytes} packed
 * @param {import('./arguments.js').BlockOrder} order
 */
export function inOrder(context, packed, order) {
  if (!(packed instanceof PackedBytes)) {
    throw new PackedError(
      'ORDER_REQUIRED',
      'These bytes carry no order, and none can be seen in them: tag them with pw.pack(bytes, { encoding, out, inputDim, order }) first',
    );
  }
  if (packed.order === order) return packed;
  const { encoding, out, blocksPerRow } = packed;
  const bytes = requireBytes('bytes', packed.bytes);
  const size = bytes.length;
  return context.heap.stage(bytes, 'packed bytes', (source) =>
    context.heap.borrow(size, 'relaid bytes', (target) => {
      unwrap(
        context.core.relayoutInto(
          encoding,
          out,
          blocksPerRow,
          packed.order,
          source,
          order,
          target,
          size,
        ),
      );
      return new PackedBytes({ ...packed, order, bytes: context.heap.bytes(target, size).slice() });
    }),
  );
}

/**
 * A view in the order that it is converted to: the same object where it is in it.
 * @param {import('./context.js').Context} context
 * @param {'prepackForMatmul' | 'toCanonical'} conversion
 * @param {View} view
 * @param {{ scope?: Scope, sink?: import('./trace.js').Sink }} [options]
 */
export function converted(context, conversion, view, options) {
  const handle = View.handleOf(view);
  const { scope = view.scope, sink } = requireOptions(options, toConvert);
  const keeper = context.sink(sink);
  const made = unwrap(context.core[conversion](handle, Scope.handleOf(scope), keeper.handle));
  return View.orSame(view, made, scope);
}
