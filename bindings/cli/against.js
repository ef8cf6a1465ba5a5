/** @typedef {import('packed-weights').PackedWeights} PackedWeights */
/** @typedef {import('packed-weights').GgufFile} GgufFile */
/** @typedef {import('packed-weights').GgufFile['tensors'][number]} Tensor */
/** @typedef {import('packed-weights').Finding} Finding */

/**
 * A file held against a reference, tensor by tensor: what is missing, of another type or shape, and for weights
 * whose bytes differ, the first block in the wrong place and which mistake it was.
 * @param {PackedWeights} pw
 * @param {string[]} paths
 * @param {string} referencePath
 * @returns {Promise<Finding[]>}
 */
export async function checkAgainst(pw, paths, referencePath) {
  const reference = await pw.openGguf(referencePath);
  const files = [];
  try {
    for (const path of paths) files.push(await pw.openGguf(path));
    /** @type {Finding[]} */
    const findings = [];
    for (const wanted of reference.tensors) {
      const file = files.find(({ tensors }) => tensors.some(({ name }) => name === wanted.name));
      if (!file) {
        findings.push(
          error('reference-missing', wanted, `${wanted.name} is in ${referencePath}, but not here`),
        );
      } else {
        findings.push(
          ...(await compareTensor(pw, file, file.tensor(wanted.name), reference, wanted)),
        );
      }
    }
    return findings;
  } catch (thrown) {
    if (/** @type {any} */ (thrown)?.code === 'IO_FAILED') throw thrown;
    const message = `it cannot be compared: ${/** @type {Error} */ (thrown).message}`;
    return [{ rule: 'reference-unreadable', severity: 'error', message, count: 1 }];
  } finally {
    await reference.close();
    for (const file of files) await file.close();
  }
}

/**
 * @param {PackedWeights} pw
 * @param {GgufFile} file
 * @param {Tensor} tensor
 * @param {GgufFile} reference
 * @param {Tensor} wanted
 * @returns {Promise<Finding[]>}
 */
async function compareTensor(pw, file, tensor, reference, wanted) {
  const differs = (
    /** @type {string} */ what,
    /** @type {unknown} */ is,
    /** @type {unknown} */ should,
  ) =>
    error(`reference-${what}`, tensor, `${tensor.name} has ${what} ${is}, the reference ${should}`);
  if (tensor.ggmlType !== wanted.ggmlType)
    return [differs('type', tensor.typeName, wanted.typeName)];
  if (String(tensor.ne) !== String(wanted.ne)) {
    const finding = differs('shape', `ne [${tensor.ne}]`, `ne [${wanted.ne}]`);
    if (!sameSizes(tensor.ne, wanted.ne)) return [finding];
    const how = await turnOf(pw, file, tensor, reference, wanted);
    return [
      { ...finding, message: `${finding.message}: transposed relative to the reference, ${how}` },
    ];
  }
  const [bytes, expected] = [await file.bytes(tensor.name), await reference.bytes(tensor.name)];
  if (Buffer.compare(bytes, expected) === 0) return [];
  if (tensor.encoding === null) {
    const at = bytes.findIndex((byte, i) => byte !== expected[i]);
    const offset = (tensor.offset ?? 0) + at;
    return [
      {
        ...error(
          'reference-values',
          tensor,
          `${tensor.name} differs from the reference from byte ${at} on`,
        ),
        offset,
      },
    ];
  }
  const { blocked, bytes: blockBytes } = pw.encodings[tensor.encoding];
  const grid = { ...gridOf(tensor), reference: expected };
  const first = pw.disagreement(bytes, tensor.encoding, grid);
  const { kind, message, fix } = pw.diagnose(bytes, tensor.encoding, grid);
  const text = `${tensor.name}: ${first?.message}. ${kind}: ${message}${fix ? ` To mend it: ${fix}` : ''}`;
  const offset = (tensor.offset ?? 0) + (first?.flatIndex ?? 0) * blockBytes;
  const place =
    first === null || first.o === null || first.b === null ? {} : { o: first.o, b: first.b };
  const rule = blocked ? 'reference-order' : 'reference-values';
  return [{ ...error(rule, tensor, text), offset, ...place }];
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
 * @param {GgufFile} file
 * @param {Tensor} tensor
 * @param {GgufFile} reference
 * @param {Tensor} wanted
 */
async function turnOf(pw, file, tensor, reference, wanted) {
  const [bytes, expected] = [await file.bytes(tensor.name), await reference.bytes(tensor.name)];
  if (Buffer.compare(bytes, expected) === 0) return 'in its label only: the bytes are the same';
  if (wanted.encoding === null) return 'and its bytes differ';
  const options = { ...gridOf(wanted), reference: expected };
  const { kind, message } = pw.diagnose(bytes, wanted.encoding, options);
  return kind === 'other-order' ? 'its values too' : `its bytes differ (${kind}: ${message})`;
}

/**
 * @param {string} rule
 * @param {Tensor} tensor
 * @param {string} message
 * @returns {Finding}
 */
function error(rule, { name, offset }, message) {
  return {
    rule,
    severity: 'error',
    message,
    tensor: name,
    count: 1,
    ...(offset === null ? {} : { offset }),
  };
}
