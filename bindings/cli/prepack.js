import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { load, PackedError } from 'packed-weights';
import { exitCodes, parse, printLines, UsageError } from './command.js';
import { requireSpace } from './disk-space.js';
import { newFolder } from './output-file.js';
import { table } from './table.js';
import { copied, holderOf, pieceBytes } from './tensor-bytes.js';

/** @type {import('./verbs.js').Verb} */
export const prepack = {
  name: 'prepack',
  usage: 'prepack FILE.gguf... -o FOLDER',
  summary:
    'Writes the weights in the order that packed kernels read, a file for each, and manifest.json that says what they are. Several files are the shards of one model. FOLDER is new, or empty.',
  run,
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, { output: { type: 'string', short: 'o' } });
  if (positionals.length === 0) throw new UsageError('prepack takes a file.');
  if (!values.output) throw new UsageError('State the folder to write with -o.');
  const pw = await load();
  const file = await pw.openGguf(positionals.length === 1 ? positionals[0] : positionals);
  try {
    const plans = planOf(pw, file);
    const total = plans.reduce((sum, { byteLength }) => sum + byteLength, 0);
    printLines(describe(values.output, plans, total));
    if (plans.every(({ order }) => order === 'ROW_MAJOR')) return exitCodes.findings;
    await requireSpace(values.output, total);
    await newFolder(values.output, async (folder) => {
      const tensors = [];
      for (const plan of plans) tensors.push(await write(pw, file, plan, folder));
      const manifest = { schemaVersion: 1, source: positionals, tensors };
      await writeAll(join(folder, 'manifest.json'), [JSON.stringify(manifest, null, 2), '\n']);
    });
    printLines(`${values.output}: written`);
    return exitCodes.clean;
  } finally {
    await file.close();
  }
}

/**
 * What becomes of a tensor: `file` in the folder, in `order`; ROW_MAJOR as it is stored, for a `reason`.
 * @typedef {{ name: string, file: string, encoding: string, ggmlType: number, elements: number, blockBytes: number,
 *   shape: readonly number[], blocksPerRow: number, order: 'INPUT_BLOCK_MAJOR' | 'ROW_MAJOR', reason: string | null,
 *   byteLength: number }} Plan
 */

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('packed-weights').GgufFile | import('packed-weights').GgufShards} file
 * @returns {Plan[]}
 */
function planOf(pw, file) {
  if (!file.littleEndian) {
    throw new PackedError(
      'UNSUPPORTED_ENCODING',
      `${file.name} is big-endian, and so are its tensors; convert it to little-endian first: nothing was written`,
    );
  }
  const reports = file.feedReport();
  return file.tensors.map(({ name, encoding, ggmlType, typeName, shape, ...tensor }, i) => {
    const { byteLength, blocksPerRow } = tensor;
    if (encoding === null || byteLength === null || blocksPerRow === null) {
      throw new PackedError(
        'UNSUPPORTED_ENCODING',
        `${name} is of type ${typeName}, whose blocks are not known here: nothing was written`,
        { tensor: name },
      );
    }
    // What cannot be fed is kept as it is, but not where the file ends within it.
    holderOf(file, name).range(name);
    const { elements, bytes: blockBytes } = pw.encodings[encoding];
    const { feedable, reason } = reports[i];
    const order = feedable ? 'INPUT_BLOCK_MAJOR' : 'ROW_MAJOR';
    const what = { name, file: fileNameOf(name, i), encoding, ggmlType, elements, blockBytes };
    return { ...what, shape, blocksPerRow, order, reason: feedable ? null : reason, byteLength };
  });
}

/**
 * Names come out of files: of a path they keep nothing, and the number keeps them apart.
 * @param {string} name
 * @param {number} number
 */
function fileNameOf(name, number) {
  return `${String(number).padStart(5, '0')}-${name.replace(/[^\w.-]/g, '_').slice(0, 80)}.bin`;
}

/**
 * @param {string} output
 * @param {Plan[]} plans
 * @param {number} total
 */
function describe(output, plans, total) {
  const relaid = plans.filter(({ reason }) => reason === null);
  const kept = plans.filter(({ reason }) => reason !== null);
  // A tensor that is relaid is held whole, one that is kept by pieces.
  const most = plans.reduce((max, { byteLength, reason }) => {
    return Math.max(max, reason === null ? byteLength : Math.min(byteLength, pieceBytes));
  }, 0);
  const count = `${relaid.length} of ${plans.length} tensors are relaid`;
  const lines = [
    relaid.length === 0
      ? `${output}: nothing is written: ${count}, so kernels read the input as it is`
      : `${output}: needs ${total} bytes on disk and ${most} in memory; ${count}`,
  ];
  if (kept.length === 0) return lines;
  const rows = kept.map(({ name, encoding, reason }) => [name, encoding, String(reason)]);
  return [...lines, '', 'kept as they are', ...table([['name', 'encoding', 'reason'], ...rows])];
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {import('packed-weights').GgufFile | import('packed-weights').GgufShards} file
 * @param {Plan} plan
 * @param {string} folder
 */
async function write(pw, file, plan, folder) {
  const path = join(folder, plan.file);
  if (plan.order === 'ROW_MAJOR') {
    const holder = holderOf(file, plan.name);
    return { ...plan, sha256: await writeAll(path, copied(holder, holder.range(plan.name))) };
  }
  const scope = pw.scope({ name: plan.name });
  try {
    const view = await file.view(plan.name, {
      weightForm: { shape: 'OUT_IN', order: 'KERNEL_FEED' },
      scope,
    });
    return { ...plan, sha256: await writeAll(path, piecesOf(view, plan)) };
  } finally {
    scope.close();
  }
}

/**
 * The bytes of a relaid weight in sequence: slice by slice, and so many columns of blocks at a time.
 * @param {import('packed-weights').View} view
 * @param {Plan} plan
 * @returns {Generator<Uint8Array>}
 */
function* piecesOf(view, plan) {
  const { shape } = view;
  if (shape.length > 2) {
    for (let i = 0; i < shape[0]; ++i) {
      const slice = view.slice(i);
      yield* piecesOf(slice, plan);
      slice.dispose();
    }
    return;
  }
  const [out, inputDim] = shape;
  const columns = Math.max(1, Math.floor(pieceBytes / (out * plan.blockBytes)));
  const step = columns * plan.elements;
  for (let at = 0; at < inputDim; at += step) {
    const part = view.narrow(1, at, Math.min(step, inputDim - at));
    yield part.bytes();
    part.dispose();
  }
}

/**
 * Writes a new file and gives the checksum of what was written.
 * @param {string} path
 * @param {Iterable<Uint8Array | string> | AsyncIterable<Uint8Array>} chunks
 */
async function writeAll(path, chunks) {
  const hash = createHash('sha256');
  const handle = await open(path, 'wx');
  try {
    for await (const chunk of chunks) {
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}
