// `npm run tour [-- FILE.gguf]`: the whole main job in one minute, on a machine that may lack everything.
import { build } from './build.js';
import { isProgram, main, root } from './terminal.js';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const print = (...lines) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));

if (isProgram(import.meta.url)) {
  await main(async ([path]) => {
    await build();
    const { load } = await import(pathToFileURL(join(root, 'dist/index.js')).href);
    const pw = await load();
    const file = await pw.openGguf(path ?? builtIn(pw));
    print(
      '',
      `packed-weights in Node ${process.versions.node}, ${pw.isa} kernels: ${pw.isaReason}`,
    );
    showFile(file, path);
    showGrid();
    await showWeight(pw, file);
    await file.close();
    print(
      '',
      'How to go on',
      '  README.md                        twenty lines of JS that do the same',
      '  npm run tour -- MODEL.gguf       this tour of a file of yours',
      '  npm start                        the same in the browser: drop a GGUF, see its blocks',
      '  node dist/cli/main.js --help     inspect and check files, prove converted bytes',
    );
  });
}

/** A small GGUF made of fixtures, as bytes: one weight of real content and one plain vector. */
export function builtIn(pw) {
  const { bytes, out, inputDim } = pw.fixtures.decodable('Q4_K');
  return pw.writeGguf({
    metadata: { 'general.architecture': 'tour', 'general.name': 'built-in sample' },
    tensors: [
      { name: 'blk.0.ffn_down.weight', ne: [inputDim, out], encoding: 'Q4_K', bytes },
      {
        name: 'blk.0.norm.weight',
        ne: [4],
        encoding: 'F32',
        bytes: new Float32Array([1, 1, 1, 1]),
      },
    ],
  });
}

function showFile(file, path) {
  print('', `1. ${path ?? 'A built-in GGUF'}: ${file.tensors.length} tensors`);
  for (const { name, typeName, ne, shape } of file.tensors.slice(0, 12)) {
    const label =
      shape.length > 1 ? `ne [in ${ne[0]}, out ${ne[1]}] = [out, in] [${shape}]` : `[${shape}]`;
    print(`   ${name.padEnd(32)} ${typeName.padEnd(6)} ${label}`);
  }
  if (file.tensors.length > 12) print(`   .. and ${file.tensors.length - 12} more`);
  print(
    '   A file says [in, out]; its bytes already are rows of [out, in]. Only the label differs.',
  );
}

function showGrid() {
  print(
    '',
    '2. The two orders of a 2 x 3 grid of blocks',
    '   ROW_MAJOR, what a file holds             (0,0) (0,1) (0,2) (1,0) (1,1) (1,2)',
    '   INPUT_BLOCK_MAJOR, what kernels read     (0,0) (1,0) (0,1) (1,1) (0,2) (1,2)',
    '   Read one as the other and the numbers are finite, plausible and wrong.',
  );
}

async function showWeight(pw, file) {
  const weight = file.tensors.find(
    ({ shape, encoding, blocksPerRow }) =>
      shape.length === 2 &&
      encoding &&
      pw.encodings[encoding].blocked &&
      blocksPerRow > 1 &&
      shape[0] > 1,
  );
  if (!weight) {
    print(
      '',
      '3. No quantized weight wider than one block here: in such a file the orders cannot differ.',
    );
    return;
  }
  const [out, inputDim] = weight.shape;
  const { encoding, blocksPerRow } = weight;
  const scope = pw.scope({ name: 'tour' });
  const trace = pw.trace();
  const weightForm = { shape: 'OUT_IN' };
  const stored = await file.view(weight.name, { weightForm, scope, sink: trace });
  const fast = pw.prepackForMatmul(stored, { scope, sink: trace });
  const { bytes, nanos } = trace.events.find(({ kind }) => kind === 'AdapterInserted');
  print(
    '',
    `3. ${weight.name}: ${out} x ${blocksPerRow} blocks of ${encoding}`,
    `   prepack moved ${bytes.toLocaleString('en-US')} bytes in ${(nanos / 1e6).toFixed(3)} ms; one value before and after: ${stored.get(out - 1, inputDim - 1)} ${fast.get(out - 1, inputDim - 1)}`,
  );

  const reference = await file.bytes(weight.name);
  const against = { out, blocksPerRow, reference, kernelOrder: true };
  const before = pw.disagreement(stored.bytes(), encoding, against);
  const after = pw.disagreement(fast.bytes(), encoding, against);
  print(
    '',
    '4. Is it in kernel order?',
    `   the file's bytes: ${before ? before.message : 'they agree'}`,
    `   prepacked bytes:  ${after === null ? 'null, they agree' : after.message}`,
  );

  print('', '5. x times the transpose of the weight, in both orders');
  const x = Float32Array.from({ length: inputDim }, (_, i) => Math.sin(i + 1));
  for (const activation of ['f32', 'int8']) {
    const inRows = pw.matmul(x, stored, { activation });
    const inKernelOrder = pw.matmul(x, fast, { activation });
    const same = inRows.every((value, i) => Object.is(value, inKernelOrder[i]));
    const speeds = [stored, fast].map((view) => gops(pw, x, view, activation, out * inputDim));
    print(
      `   ${activation.padEnd(5)} bit-identical: ${same ? 'yes' : 'NO'}   as stored ${speeds[0]} GOPS, kernel order ${speeds[1]} GOPS   y[0] = ${inRows[0]}`,
    );
  }
  scope.close();
}

// The median of some runs, after the engine had time to optimize.
function gops(pw, x, view, activation, products) {
  const into = new Float32Array(view.shape[0]);
  const runs = [];
  const end = performance.now() + 150;
  do {
    const start = performance.now();
    pw.matmul(x, view, { activation, into });
    runs.push(performance.now() - start);
  } while (performance.now() < end || runs.length < 5);
  const median = runs.sort((a, b) => a - b)[runs.length >> 1];
  return ((2 * products) / median / 1e6).toFixed(2);
}
