import { isPlain, requireObject, requireOptions, requireText } from './arguments.js';
import { PackedError, refuse, requireWhole, unwrap } from './errors.js';
import { metadataFields } from './metadata-write.js';
import { requireUnicode } from './metadata-encode.js';

/** @typedef {import('./gguf-write.js').GgufToWrite} GgufToWrite */

/**
 * The whole layout of a file before its first byte is written.
 * @param {Pick<import('./context.js').Context, 'core' | 'heap'>} context
 * @param {GgufToWrite} what
 * @returns {any}
 */
export function planGguf({ core, heap }, what) {
  const { metadata, tensors, alignment = 32 } = requireGguf(what);
  const most = core.mostHeaderBytes();
  const fields = metadataFields(entriesOf(metadata), most);
  const infos = tensorsOf(tensors).map(({ name, encoding, ne, shape, order }, i) => {
    if ((order ?? 'ROW_MAJOR') !== 'ROW_MAJOR') {
      throw new PackedError(
        'INVALID_ARGUMENT',
        `tensors[${i}] is ${order}; files hold ROW_MAJOR: pw.toCanonicalOrder(..) first`,
      );
    }
    return {
      name: requireUnicode(`name of tensors[${i}]`, name),
      encoding: requireText(`encoding of ${name}`, encoding),
      ne: sizesOf(name, ne, shape),
    };
  });
  const texts = infos.reduce((sum, { name }) => sum + name.length, 0);
  const size = fields.reduce((sum, { key, value }) => sum + key.length + value.length, texts);
  if (size > most) {
    throw new PackedError(
      'LIMIT_EXCEEDED',
      `The keys, values and names of this file are ${size} bytes or more, beyond the ${most} of a header that can be read again`,
    );
  }
  // C++ keeps the values once and the header twice while it grows.
  heap.require(4 * size, 'a header');
  return unwrap(core.planGguf(fields, infos, requireWhole('alignment', alignment)));
}

/** What splitGguf gives has a name besides. @param {GgufToWrite & { name?: string }} what */
export function requireGguf(what) {
  const kinds = /** @type {const} */ ({ metadata: '', tensors: '', alignment: '', name: 'string' });
  return requireOptions(requireObject('what', what), kinds, 'what');
}

/** What a tensor is written of. */
const members = ['name', 'encoding', 'ne', 'shape', 'order', 'bytes'];
/** What a tensor of a file, quantized bytes and a fixture say besides: whoever spreads them changes some and writes them. */
const besides = 'ggmlType typeName offset byteLength blocksPerRow out inputDim report decoded x y';
const kinds = Object.fromEntries([...members, ...besides.split(' ')].map((name) => [name, '']));

/**
 * The tensors, which may be of a class and then have whatever members they want.
 * @param {GgufToWrite['tensors']} tensors
 */
export function tensorsOf(tensors = []) {
  if (!Array.isArray(tensors)) refuse('tensors', 'an array', tensors);
  // Not map, which passes over holes.
  return Array.from(tensors, (tensor, i) => {
    const named = `tensors[${i}]`;
    requireObject(named, tensor);
    if (isPlain(tensor)) requireMembers(named, tensor);
    return tensor;
  });
}

/** @param {string} named @param {object} tensor */
function requireMembers(named, tensor) {
  const unknown = Object.keys(tensor).find((name) => !Object.hasOwn(kinds, name));
  if (unknown === undefined) return;
  throw new PackedError(
    'INVALID_ARGUMENT',
    `${named} cannot have '${unknown}', only ${members.join(', ')}`,
  );
}

/**
 * Metadata as pairs.
 * @param {GgufToWrite['metadata']} metadata
 */
export function entriesOf(metadata = {}) {
  const pairs =
    metadata !== null &&
    typeof metadata === 'object' &&
    Symbol.iterator in metadata &&
    !ArrayBuffer.isView(metadata);
  if (!pairs && !isPlain(metadata)) refuse('metadata', 'an object, a Map or pairs', metadata);
  const entries = pairs ? [...metadata] : Object.entries(metadata);
  entries.forEach((pair, i) => {
    if (!Array.isArray(pair) || pair.length !== 2) refuse(`metadata[${i}]`, '[key, value]', pair);
    requireUnicode(`key of metadata[${i}]`, pair[0]);
  });
  return entries;
}

/**
 * The sizes as stored, from either way of stating them.
 * @param {string} name
 * @param {readonly number[]} [ne]
 * @param {readonly number[]} [shape]
 */
function sizesOf(name, ne, shape) {
  const stored = wholes(`ne of ${name}`, ne);
  const turned = wholes(`shape of ${name}`, shape)?.reverse();
  const sizes = stored ?? turned;
  if (!sizes) {
    throw new PackedError('INVALID_ARGUMENT', `${name} needs its ne or its shape`, {
      tensor: name,
    });
  }
  if (turned && String(sizes) !== String(turned)) {
    throw new PackedError(
      'SHAPE_MISMATCH',
      `${name} has ne [${ne}] and shape [${shape}], which is not the same reversed: state one`,
      { tensor: name, expected: `ne [${turned}]`, actual: `ne [${sizes}]` },
    );
  }
  return sizes;
}

/**
 * @param {string} what
 * @param {readonly number[]} [sizes]
 */
function wholes(what, sizes) {
  if (sizes === undefined || sizes === null) return undefined;
  if (!Array.isArray(sizes)) refuse(what, 'an array', sizes);
  return Array.from(sizes, (size) => requireWhole(what, size));
}
