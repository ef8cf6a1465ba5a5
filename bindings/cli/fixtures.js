import { load } from 'packed-weights';
import { exitCodes, parse, printJson, printLines, UsageError } from './command.js';
import { replaceFile } from './output-file.js';
import { requireReplaceable } from './output-path.js';

/** @type {import('./verbs.js').Verb} */
export const fixtures = {
  name: 'fixtures',
  usage: 'fixtures ENCODING [--order kernel|canonical] [--decodable] -o FILE [--json]',
  summary:
    'Writes the bytes that a converter is tested with: 4 x 3 placement blocks, or with --decodable 5 x 3 blocks of real content and, beside them, FILE.decoded.f32, FILE.x.f32 and FILE.y.f32 (two columns each). Of encodings of blocks; in canonical order unless kernel is said; files that are there are replaced.',
  run,
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, {
    order: { type: 'string', default: 'canonical' },
    decodable: { type: 'boolean' },
    output: { type: 'string', short: 'o' },
    json: { type: 'boolean' },
  });
  if (positionals.length !== 1) throw new UsageError('fixtures takes one encoding, e.g. Q4_K.');
  if (values.order !== 'kernel' && values.order !== 'canonical') {
    throw new UsageError('--order is kernel or canonical (INPUT_BLOCK_MAJOR or ROW_MAJOR).');
  }
  if (!values.output) throw new UsageError('-o FILE is missing.');
  const pw = await load();
  const written = filesFor(pw, positionals[0], values.order === 'kernel', values);
  // All of them before the first is written.
  for (const { file } of written.files) await requireReplaceable(file, []);
  for (const { file, bytes } of written.files) await replaceFile(file, [], [bytes]);
  if (values.json) {
    const files = written.files.map(({ file, bytes }) => ({ file, byteLength: bytes.length }));
    printJson({ schemaVersion: 1, ...written, files });
  } else {
    const { encoding, out, blocksPerRow, order } = written;
    printLines(`${encoding}, ${out} x ${blocksPerRow} blocks, ${order}`);
    printLines(written.files.map(({ file, bytes }) => `${file}: ${bytes.length} bytes`));
  }
  return exitCodes.clean;
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string} encoding
 * @param {boolean} kernel
 * @param {Record<string, any>} values
 */
function filesFor(pw, encoding, kernel, { decodable, output }) {
  const order = kernel ? 'INPUT_BLOCK_MAJOR' : 'ROW_MAJOR';
  if (!decodable) {
    const bytes = kernel ? pw.fixtures.kernelOrder(encoding) : pw.fixtures.canonical(encoding);
    return { encoding, out: 4, blocksPerRow: 3, order, files: [{ file: output, bytes }] };
  }
  const { out, blocksPerRow, inputDim, bytes, decoded, x, y } = pw.fixtures.decodable(encoding);
  const packed = pw.pack(bytes, { encoding, out, inputDim, order: 'ROW_MAJOR' });
  const files = [
    { file: output, bytes: kernel ? pw.toKernelOrder(packed).bytes : packed.bytes },
    { file: `${output}.decoded.f32`, bytes: bytesOf(decoded) },
    { file: `${output}.x.f32`, bytes: bytesOf(x) },
    { file: `${output}.y.f32`, bytes: bytesOf(y) },
  ];
  return { encoding, out, blocksPerRow, inputDim, order, columns: x.length / inputDim, files };
}

/** @param {Float32Array} floats */
function bytesOf(floats) {
  return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
}
