import { requireOptions, requireText } from './arguments.js';
import { PackedError, requireWhole } from './errors.js';
import { entriesOf, planGguf, requireGguf } from './gguf-plan.js';

/**
 * One file of a split model, ready for writeGguf or streamGguf.
 * @typedef {import('./gguf-write.js').GgufToWrite & { name: string }} GgufShardToWrite
 */

/**
 * @typedef {object} SplitOptions
 * @property {string} prefix of the names: prefix-00001-of-00003.gguf
 * @property {number} maxBytes of tensor data in one file; a larger tensor has a file of its own
 */

// split.no and split.count are u16, and names have five digits.
const mostShards = 65535;

/**
 * The files that a model is split into: tensors in their order, all other metadata in the first. An alignment other
 * than 32 is that of each file, and stands in each.
 * @param {import('./context.js').Context} context
 * @param {import('./gguf-write.js').GgufToWrite} what
 * @param {SplitOptions} options
 * @returns {GgufShardToWrite[]}
 */
export function splitGguf(context, what, options) {
  const given = requireOptions(options, { prefix: '', maxBytes: '' });
  const prefix = requireText('prefix', given.prefix);
  const maxBytes = requireWhole('maxBytes', given.maxBytes);
  const { metadata, tensors = [], alignment } = requireGguf(what);
  // Once: pairs may come from what gives them only once.
  const own = entriesOf(metadata).filter(([key]) => !key.startsWith('split.'));
  /** @type {import('./gguf-write.js').TensorToWrite[][]} */
  const groups = [[]];
  let size = 0;
  const planned = planGguf(context, { ...what, metadata: own });
  planned.tensors.forEach((/** @type {any} */ plan, /** @type {number} */ i) => {
    const bytes = plan.byteLength + plan.paddingAfter;
    if (groups[groups.length - 1].length > 0 && size + bytes > maxBytes) {
      groups.push([]);
      size = 0;
    }
    groups[groups.length - 1].push(tensors[i]);
    size += bytes;
  });
  if (groups.length > mostShards) {
    throw new PackedError(
      'LIMIT_EXCEEDED',
      `At most ${maxBytes} bytes in a file make ${groups.length} files; a model is split into ${mostShards} at most`,
    );
  }
  // The first file may hold no tensor that it is about.
  const version = planned.addedQuantizationVersion;
  if (version > 0) own.push(['general.quantization_version', { type: 'u32', value: version }]);
  const five = (/** @type {number} */ n) => String(n).padStart(5, '0');
  return groups.map((group, number) => ({
    name: `${prefix}-${five(number + 1)}-of-${five(groups.length)}.gguf`,
    metadata: [
      ...(number === 0 ? own : []),
      ['split.no', { type: 'u16', value: number }],
      ['split.count', { type: 'u16', value: groups.length }],
      ['split.tensors.count', { type: 'i32', value: tensors.length }],
    ],
    tensors: group,
    ...(alignment !== undefined && { alignment }),
  }));
}
