import { load } from 'packed-weights';
import { exitCodes, parse, printJson, printLines, UsageError } from './command.js';
import { table } from './table.js';

/** @type {import('./verbs.js').Verb} */
export const inspect = {
  name: 'inspect',
  usage: 'inspect FILE [--json]',
  summary: 'Lists what a GGUF file holds: metadata, and each tensor with both labels of its shape.',
  run,
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, { json: { type: 'boolean' } });
  if (positionals.length !== 1) throw new UsageError('inspect takes one file.');
  const pw = await load();
  const file = await pw.openGguf(positionals[0]);
  try {
    if (values.json) printJson(documentOf(file));
    else printLines(describeFile(file));
  } finally {
    await file.close();
  }
  return exitCodes.clean;
}

/** @param {import('packed-weights').GgufFile} file */
function documentOf(file) {
  const { name, size, version, littleEndian, alignment, dataStart, metadata, tensors } = file;
  return {
    schemaVersion: 1,
    file: { name, size, version, littleEndian, alignment, dataStart },
    metadata: Object.fromEntries(metadata),
    tensors,
  };
}

/** @param {import('packed-weights').GgufFile} file */
function describeFile(file) {
  const order = file.littleEndian ? 'little-endian' : 'big-endian';
  const rows = file.tensors.map((tensor) => [
    tensor.name,
    tensor.typeName,
    `ne [${tensor.ne.map((n, i) => `${['in ', 'out '][i] ?? ''}${n}`).join(', ')}]`,
    `[${tensor.shape.map((n, i) => `${['in ', 'out '][tensor.shape.length - 1 - i] ?? ''}${n}`).join(', ')}]`,
    tensor.offset === null ? 'unknown' : String(tensor.offset),
    tensor.byteLength === null ? 'unknown' : String(tensor.byteLength),
  ]);
  return [
    `${file.name}: GGUF v${file.version}, ${order}, ${file.size} bytes, alignment ${file.alignment}`,
    '',
    `${file.metadata.size} metadata entries`,
    ...[...file.metadata].map(([key, value]) => `  ${key} = ${shorten(value)}`),
    '',
    `${file.tensors.length} tensors`,
    ...(rows.length > 0
      ? table([['name', 'encoding', 'as stored', 'as [out, in]', 'offset', 'bytes'], ...rows])
      : []),
  ];
}

/** @param {import('../js/metadata.js').MetadataValue} value @returns {string} */
function shorten(value) {
  if (typeof value === 'object') {
    const first = [];
    for (let i = 0; i < Math.min(value.length, 4); ++i)
      first.push(shorten(/** @type {any} */ (value.at(i))));
    const rest = value.length > first.length ? ', ..' : '';
    return `${value.length} x ${value.elementType} [${first.join(', ')}${rest}]`;
  }
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 72 ? `${value.slice(0, 72)}...` : value);
}
