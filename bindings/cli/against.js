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
    return [differs('shape', `ne [${tensor.ne}]`, `ne [${wanted.ne}]`)];
  }
  const [bytes, expected] = [await file.bytes(tensor.name), await reference.bytes(tensor.name)];
  if (Buffer.compare(bytes, expected) === 0) return [];
  const out = tensor.shape.slice(0, -1).reduce((product, size) => product * size, 1);
  if (tensor.encoding === null || !pw.encodings[tensor.encoding].blocked) {
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
  const grid = { out, blocksPerRow: tensor.blocksPerRow ?? 0, reference: expected };
  const first = pw.disagreement(bytes, tensor.encoding, grid);
  const { kind, message, fix } = pw.diagnose(bytes, tensor.encoding, grid);
  const text = `${tensor.name}: ${first?.message}. ${kind}: ${message}${fix ? ` To mend it: ${fix}` : ''}`;
  const offset =
    (tensor.offset ?? 0) + (first?.flatIndex ?? 0) * pw.encodings[tensor.encoding].bytes;
  const place =
    first === null || first.o === null || first.b === null ? {} : { o: first.o, b: first.b };
  return [{ ...error('reference-order', tensor, text), offset, ...place }];
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
