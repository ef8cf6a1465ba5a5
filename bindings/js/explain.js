import { requireOptions } from './arguments.js';
import { requireOneOf } from './errors.js';
import { activations } from './matmul.js';
import { View } from './view.js';

/**
 * @param {import('./context.js').Context} context
 * @param {View} view
 * @param {{ activation?: 'f32' | 'int8' }} [options]
 */
export function explain({ core }, view, options) {
  const { activation = 'f32' } = requireOptions(options, { activation: '' });
  requireOneOf('activation', activation, activations);
  return core.explain(View.handleOf(view), activation);
}
