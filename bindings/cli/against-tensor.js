/** @typedef {import('packed-weights').PackedWeights} PackedWeights */
/** @typedef {import('packed-weights').GgufFile['tensors'][number]} Tensor */
/** @typedef {import('packed-weights').Finding} Finding */

/**
 * A tensor held against the one of its name.
 * @param {PackedWeights} pw
 * @param {Tensor} tensor
 * @param {Tensor} wanted
 * @param {() => Promise<Uint8Array[]>} read both
 * @param {(bytes: Uint8Array) => Promise<string | undefined>} nameOf the other tensor of the reference that has these
 *   bytes
 * @returns {Promise<Finding[]>}
 */
export async function compareTensor(pw, tensor, wanted, read, nameOf) {
  const differs = (
    /** @type {string} */ what,
    /** @type {unknown} */ is,
    /** @type {unknown} */ should,
  ) =>
    difference(
      `reference-${what}`,
      tensor,
      `${tensor.name} has ${what} ${is}, the reference ${should}`,
    );
  if (tensor.ggmlType !== wanted.ggmlType)
    return [differs('type', tensor.typeName, wanted.typeName)];
  if (String(tensor.ne) !== String(wanted.ne)) {
    const finding = differs('shape', `ne [${tensor.ne}]`, `ne [${wanted.ne}]`);
    if (!sameSizes(tensor.ne, wanted.ne)) return [finding];
    const how = turnOf(pw, wanted, await read());
    return [
      { ...finding, message: `${finding.message}: transposed relative to the reference, ${how}` },
    ];
  }
  const [bytes, expected] = await read();
  if (Buffer.compare(bytes, expected) === 0) return [];
  const other = await nameOf(bytes);
  if (other !== undefined) {
    const message = `${tensor.name} holds byte for byte what the reference has as ${other}: two tensors were exchanged, or one was named for the other`;
    return [difference('reference-exchanged', tensor, message)];
  }
  if (tensor.encoding === null) {
    const at = bytes.findIndex((byte, i) => byte !== expected[i]);
    const message = `${tensor.name} differs from the reference from byte ${at} on`;
    const offset = (tensor.offset ?? 0) + at;
    return [{ ...difference('reference-values', tensor, message), offset }];
  }
  const { blocked, bytes: blockBytes } = pw.encodings[tensor.encoding];
  const grid = { ...gridOf(tensor), reference: expected };
  const first = pw.disagreement(bytes, tensor.encoding, grid);
  const { kind, message, fix } = pw.diagnose(bytes, tensor.encoding, grid);
  const text = `${tensor.name}: ${first?.message}. ${kind}: ${message}${fix ? `. To mend it: ${fix}` : ''}`;
  const offset = (tensor.offset ?? 0) + (first?.flatIndex ?? 0) * blockBytes;
  const place =
    first === null || first.o === null || first.b === null ? {} : { o: first.o, b: first.b };
  const rule = blocked ? 'reference-order' : 'reference-values';
  return [{ ...difference(rule, tensor, text), offset, ...place }];
}

/** Rows and the blocks, or values, of each; a stack is one matrix below the other. @param {Tensor} tensor */
function gridOf({ shape, blocksPerRow }) {
  const out = shape.slice(0, -1).reduce((product, size) => product * size, 1);
  return { out, blocksPerRow: blocksPerRow ?? 0 };
}

/** @param {readonly number[]} one @param {readonly number[]} other */
function sameSizes(one, other) {
  const sorted = (/** @type {readonly number[]} */ sizes) =>
    String([...sizes].sort((a, b) => a - b));
  return sorted(one) === sorted(other);
}

/**
 * Of a tensor whose shape is the reference's with the axes exchanged: whether only the label is.
 * @param {PackedWeights} pw
 * @param {Tensor} wanted
 * @param {Uint8Array[]} read
 */
function turnOf(pw, wanted, [bytes, expected]) {
  if (Buffer.compare(bytes, expected) === 0) return 'in its label only: the bytes are the same';
  if (wanted.encoding === null) return 'and its bytes differ';
  const options = { ...gridOf(wanted), reference: expected };
  const { kind, message } = pw.diagnose(bytes, wanted.encoding, options);
  return kind === 'other-order' ? 'its values too' : `its bytes differ (${kind}: ${message})`;
}

/**
 * @param {string} rule
 * @param {{ name: string, offset: number | null }} tensor
 * @param {string} message
 * @returns {Finding}
 */
export function difference(rule, { name, offset }, message) {
  return {
    rule,
    severity: 'error',
    message,
    tensor: name,
    count: 1,
    ...(offset === null ? {} : { offset }),
  };
}
