import { load, PackedError } from 'packed-weights';
import { openReference } from './against.js';
import { exitCodes, parse, printJson, printLines, UsageError } from './command.js';
import { bytesOf } from './whole-file.js';

/** @type {import('./verbs.js').Verb} */
export const compare = {
  name: 'compare',
  usage:
    'compare BYTES --encoding Q4_K --order kernel|canonical [--out N --in N] (--fixture | --reference FILE.gguf --tensor NAME) [--json]',
  summary:
    'Says whether the blocks in a file stand where their order says; if not, which mistake it was and what mends it. Memory is needed for four times the bytes, at most 2 GiB of them.',
  run,
};

// What a 32-bit module addresses, less what it has of its own.
const moduleBytes = 2 ** 32 - 2 ** 26;

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, {
    encoding: { type: 'string' },
    order: { type: 'string' },
    out: { type: 'string' },
    in: { type: 'string' },
    fixture: { type: 'boolean' },
    reference: { type: 'string' },
    tensor: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (positionals.length !== 1) throw new UsageError('compare takes one file of bytes.');
  if (!values.encoding) throw new UsageError('--encoding is missing, for example Q4_K.');
  const pw = await load();
  const encoding = pw.encodings[values.encoding];
  if (!encoding) throw unknownEncoding(values.encoding, pw);
  // Without blocks there is only one.
  const order = values.order ?? (encoding.blocked ? undefined : 'canonical');
  if (order !== 'kernel' && order !== 'canonical') {
    throw new UsageError(
      '--order is kernel or canonical (INPUT_BLOCK_MAJOR or ROW_MAJOR); it cannot be seen in the bytes.',
    );
  }
  const [path] = positionals;
  // A reference that fits is as large.
  const bytes = await bytesOf(path, (size) => requireRoom(path, size, size));
  const options = {
    kernelOrder: order === 'kernel',
    ...(await referenceFor(pw, encoding, values, bytes.length)),
  };
  const disagreement = pw.disagreement(bytes, encoding.name, options);
  const diagnosis = pw.diagnose(bytes, encoding.name, options);
  if (values.json) {
    printJson({ schemaVersion: 1, agrees: disagreement === null, disagreement, diagnosis });
  } else if (disagreement === null) {
    printLines(`${path}: ${diagnosis.message}`);
  } else {
    printLines(`${path}: ${disagreement.message}`, '', diagnosis.picture.trimEnd(), '');
    printLines(`${diagnosis.kind}: ${diagnosis.message}`);
    if (diagnosis.fix) printLines(`to mend it: ${diagnosis.fix}`);
  }
  return disagreement === null ? exitCodes.clean : exitCodes.findings;
}

/**
 * Refuses, before it is read, what does not fit the module's memory, which holds both sides.
 * @param {string} what
 * @param {number} size
 * @param {number} other of the other side
 */
function requireRoom(what, size, other) {
  const both = size + other;
  if (both <= moduleBytes) return;
  throw new PackedError(
    'SIZE_OVERFLOW',
    `${what} has ${size} bytes, and ${other} are to be held against them: the module has room for ${moduleBytes} together, and as much is needed outside of it; compare the matrix in parts`,
    { expected: `at most ${moduleBytes} bytes`, actual: `${both} bytes` },
  );
}

/**
 * @param {string} name
 * @param {import('packed-weights').PackedWeights} pw
 */
function unknownEncoding(name, pw) {
  return new PackedError(
    'UNKNOWN_ENCODING',
    `There is no encoding "${name}"; there are ${Object.keys(pw.encodings).join(', ')}`,
  );
}

/**
 * The grid and the bytes to compare with.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {{ name: string, elements: number }} encoding
 * @param {Record<string, any>} values
 * @param {number} size of what is compared
 */
async function referenceFor(pw, encoding, values, size) {
  const given = {
    out: values.out === undefined ? undefined : wholeNumber('--out', values.out),
    inputDim: values.in === undefined ? undefined : wholeNumber('--in', values.in),
  };
  if (values.fixture === true) {
    if (values.reference || values.tensor) {
      throw new UsageError('--fixture and --reference exclude each other.');
    }
    if (given.out === undefined && given.inputDim === undefined) return {};
    return gridOf(pw, encoding, given.out, given.inputDim);
  }
  if (!values.reference && !values.tensor) {
    throw new UsageError('Compare with what? --fixture, or --reference FILE.gguf --tensor NAME.');
  }
  if (!values.tensor) {
    throw new UsageError('--tensor is missing: with which tensor of the reference?');
  }
  if (!values.reference) {
    throw new UsageError('--reference is missing: in which GGUF file is the tensor?');
  }
  const file = await openReference(pw, values.reference);
  try {
    const tensor = file.tensor(values.tensor);
    if (tensor.encoding !== encoding.name) {
      throw new PackedError(
        'SHAPE_MISMATCH',
        `${tensor.name} is ${tensor.encoding ?? 'of an unknown encoding'} in ${values.reference}, the bytes are said to be ${encoding.name}`,
        { tensor: tensor.name, expected: String(tensor.encoding), actual: encoding.name },
      );
    }
    if (tensor.shape.length > 2 && values.order === 'kernel') {
      throw new PackedError(
        'RANK_UNSUPPORTED',
        `${tensor.name} has ${tensor.shape.length} dimensions: each of its matrices has a kernel order of its own; compare them one by one`,
        { tensor: tensor.name },
      );
    }
    // A vector is one row, a stack one matrix below the other.
    const out = tensor.shape.slice(0, -1).reduce((product, size) => product * size, 1);
    const inputDim = tensor.shape[tensor.shape.length - 1];
    for (const [word, value, own] of [
      ['--out', given.out, out],
      ['--in', given.inputDim, inputDim],
    ]) {
      if (value !== undefined && value !== own) {
        throw new PackedError(
          'SHAPE_MISMATCH',
          `${word} ${value}, but ${tensor.name} is [out ${out}, in ${inputDim}]`,
          { tensor: tensor.name, expected: String(own), actual: String(value) },
        );
      }
    }
    requireRoom(tensor.name, file.range(tensor.name).length, size);
    const reference = await file.bytes(tensor.name);
    return { ...gridOf(pw, encoding, out, inputDim), reference };
  } finally {
    await file.close();
  }
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {{ name: string, elements: number }} encoding
 * @param {number | undefined} out
 * @param {number | undefined} inputDim
 */
function gridOf(pw, encoding, out, inputDim) {
  if (out === undefined || inputDim === undefined) {
    throw new UsageError('--out and --in come together: rows, and values per row.');
  }
  pw.requireOutIn(out, inputDim, encoding.name);
  return { out, blocksPerRow: inputDim / encoding.elements };
}

/**
 * @param {string} word
 * @param {string} text
 */
function wholeNumber(word, text) {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${word} is a whole number, not "${text}".`);
}
