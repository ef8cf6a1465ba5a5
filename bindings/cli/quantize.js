import { load } from 'packed-weights';
import { fileTypeOf } from './file-type.js';
import { exitCodes, parse, printLines, UsageError } from './command.js';
import { converted, Loss } from './conversion.js';
import { requireSpace } from './disk-space.js';
import { replaceFile } from './output-file.js';
import { requireReplaceable } from './output-path.js';
import { table } from './table.js';
import { copied, holderOf } from './tensor-bytes.js';
import { matches } from './wildcard.js';

/** @type {import('./verbs.js').Verb} */
export const quantize = {
  name: 'quantize',
  usage: 'quantize FILE.gguf... --to Q4_K [--only PATTERN] -o OUT.gguf',
  summary:
    'Writes the weights of a file, or of all shards of a model, in another encoding. PATTERN selects by name: * is any text, ? one character. An output that is there is replaced, an input never.',
  run,
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, {
    to: { type: 'string' },
    only: { type: 'string' },
    output: { type: 'string', short: 'o' },
  });
  if (positionals.length === 0) throw new UsageError('quantize takes a file.');
  if (!values.to) throw new UsageError('State the encoding with --to.');
  if (!values.output) throw new UsageError('State the file to write with -o.');
  const pw = await load();
  const target = pw.encodings[values.to];
  if (!target?.quantizable) throw new UsageError(notQuantizable(pw, values.to));
  const file = await pw.openGguf(positionals.length === 1 ? positionals[0] : positionals);
  try {
    const plans = file.tensors.map((tensor) => planOf(pw, tensor, target, values.only));
    const { metadata, lines } = metadataOf(file, plans, positionals.length > 1);
    const what = {
      metadata,
      alignment: file.alignment,
      tensors: plans.map((plan) => tensorToWrite(pw, file, plan)),
    };
    await requireReplaceable(values.output, positionals);
    await requireSpace(values.output, atLeast(pw, what.tensors));
    await replaceFile(values.output, positionals, pw.streamGguf(what));
    printLines(describe(values.output, plans, values.only), lines);
    return plans.some(({ to }) => to !== null) ? exitCodes.clean : exitCodes.findings;
  } finally {
    await file.close();
  }
}

/**
 * The metadata of the file to write, and what there is to say about it: what it says of the encodings must
 * stay true, and a model of one file is not split.
 * @param {import('packed-weights').GgufFile | import('packed-weights').GgufShards} file
 * @param {Plan[]} plans
 * @param {boolean} joined
 */
function metadataOf(file, plans, joined) {
  /** @type {Map<string, any>} */
  const metadata = file.storedMetadata();
  if (joined)
    for (const key of [...metadata.keys()]) if (key.startsWith('split.')) metadata.delete(key);
  const key = 'general.file_type';
  if (!metadata.has(key) || plans.every(({ to }) => to === null)) return { metadata, lines: [] };
  const { encoding, number } = fileTypeOf(
    plans.map(({ tensor: { encoding, ne }, to }) => ({
      encoding: to ?? String(encoding),
      values: ne.reduce((product, size) => product * size, 1),
    })),
  );
  if (number === null) metadata.delete(key);
  else metadata.set(key, { type: 'u32', value: number });
  const now = number === null ? 'left out: there is no number for it' : String(number);
  const before = file.metadata.get(key);
  return { metadata, lines: ['', `${key} was ${before}; most values are ${encoding}: ${now}`] };
}

/**
 * What becomes of a tensor: `to` is the encoding it is written in, null when it is kept for a `reason`.
 * @typedef {{ tensor: import('../js/gguf.js').GgufTensor, to: string | null, reason: string, loss: Loss }} Plan
 */

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('../js/gguf.js').GgufTensor} tensor
 * @param {import('../js/encodings.js').Encoding} target
 * @param {string | undefined} only
 * @returns {Plan}
 */
function planOf(pw, tensor, target, only) {
  const reason = reasonToKeep(tensor, target, only);
  const to = reason === '' ? target.name : null;
  return { tensor, to, reason, loss: new Loss() };
}

/**
 * @param {import('../js/gguf.js').GgufTensor} tensor
 * @param {import('../js/encodings.js').Encoding} target
 * @param {string | undefined} only
 */
function reasonToKeep({ name, ne, encoding }, target, only) {
  if (only !== undefined && !matches(only, name)) return 'not selected by --only';
  if (/^I\d+$/.test(String(encoding))) return 'integers, not weights';
  if (ne.length < 2) return '1-D';
  if (ne[0] % target.elements !== 0) {
    const [whole, rest] = [Math.floor(ne[0] / target.elements), ne[0] % target.elements];
    return `row length ${ne[0]} = ${whole}*${target.elements} + ${rest}: no whole blocks of ${target.name}`;
  }
  return encoding === target.name ? `already ${encoding}` : '';
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('packed-weights').GgufFile | import('packed-weights').GgufShards} model
 * @param {Plan} plan
 */
function tensorToWrite(pw, model, plan) {
  const { tensor, to, loss } = plan;
  const { name, ne } = tensor;
  const from = String(tensor.encoding);
  const file = holderOf(model, name);
  // Before a byte is written: that the file has these bytes, and that they are rows of this encoding.
  const range = file.range(name);
  const bytes =
    to === null
      ? () => copied(file, range)
      : () => converted(pw, file, range, { name, ne, from, to, loss });
  return { name, ne, encoding: to ?? from, bytes };
}

/**
 * How many bytes a file of these tensors has, but for its header.
 * @param {import('packed-weights').PackedWeights} pw
 * @param {{ ne: readonly number[], encoding: string }[]} tensors
 */
function atLeast(pw, tensors) {
  return tensors.reduce((sum, { ne, encoding }) => {
    const { elements, bytes } = pw.encodings[encoding];
    return sum + ne.reduce((product, size) => product * size, bytes / elements);
  }, 0);
}

/**
 * @param {string} output
 * @param {Plan[]} plans
 * @param {string | undefined} only
 */
function describe(output, plans, only) {
  const done = plans.filter(({ to }) => to !== null);
  const kept = plans.filter(({ to }) => to === null);
  let lines = [`${output}: ${done.length} of ${plans.length} tensors quantized`];
  if (done.length === 0)
    lines.push('Nothing was quantized: the output holds the tensors of the input.');
  if (only !== undefined && !plans.some(({ tensor }) => matches(only, tensor.name))) {
    const more = /[*?]/.test(only) ? '' : `; *${only}* would select every name with that in it`;
    lines.push(`--only ${only} selects none of the ${plans.length} tensors${more}.`);
  }
  if (done.length > 0) {
    const rows = done.map((plan) => [
      plan.tensor.name,
      plan.tensor.typeName,
      /** @type {string} */ (plan.to),
      digits(plan.loss.relativeRms),
      digits(plan.loss.maxAbs),
    ]);
    const head = ['name', 'from', 'to', 'relative RMS error', 'largest error'];
    lines = [...lines, '', ...table([head, ...rows])];
  }
  if (kept.length > 0) {
    const rows = kept.map(({ tensor, reason }) => [tensor.name, tensor.typeName, reason]);
    lines = [...lines, '', 'kept as they are', ...table([['name', 'encoding', 'reason'], ...rows])];
  }
  return lines;
}

/** @param {number} error */
const digits = (error) => (error === 0 ? '0' : error.toPrecision(4));

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string} name
 */
function notQuantizable(pw, name) {
  const all = Object.values(pw.encodings).filter(({ quantizable }) => quantizable);
  const known =
    name in pw.encodings ? `There is no quantizer for ${name}` : `No encoding is called ${name}`;
  return `${known}; --to takes ${all.map((encoding) => encoding.name).join(', ')}.`;
}
