// `npm run bench -- --files`: how fast headers are read, beside @huggingface/gguf, and how fast files are
// checked, beside reading them and doing nothing. In the same run, on files that are made for it.
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { load } from 'packed-weights';
import { say } from './terminal.js';

const tokenCount = 150_000;
const encodings = ['Q4_K', 'Q8_0', 'F16'];
const columns = 4096;
const slabRows = 64;

/** Measures and prints. @param {number} gibibytes of each file that is checked */
export async function benchFiles(gibibytes = 1) {
  const pw = await load();
  const folder = mkdtempSync(join(tmpdir(), 'packed-weights-bench-'));
  try {
    await header(pw, join(folder, 'vocabulary.gguf'));
    for (const encoding of encodings) {
      const path = join(folder, `${encoding}.gguf`);
      await write(path, pw.streamGguf(modelOf(pw, encoding, gibibytes * 2 ** 30)));
      const { size } = await stat(path);
      const read = size / (await best(() => readAll(path, size))) / 1e6;
      const check = size / (await best(() => checkAll(pw, path))) / 1e6;
      say(
        `check ${encoding}: ${check.toFixed(1)} GB/s; reading alone ${read.toFixed(1)} GB/s; share ${percent(check / read)} (goal 80 %)`,
      );
      rmSync(path);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function header(pw, path) {
  const tokens = Array.from({ length: tokenCount }, (_, i) => `token ${i}`);
  const metadata = {
    'general.architecture': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': { type: 'f32', value: tokens.map((_, i) => -i) },
    'tokenizer.ggml.token_type': { type: 'i32', value: tokens.map(() => 1) },
  };
  await write(path, pw.streamGguf({ metadata }));
  const theirs = await best(() => gguf(path, { allowLocalFile: true }));
  const ours = await best(async () => (await pw.openGguf(path)).close());
  say(
    `header of ${tokenCount} tokens: ${ours.toFixed(1)} ms; @huggingface/gguf ${theirs.toFixed(1)} ms; ${(theirs / ours).toFixed(1)} times as fast (goal 10)`,
  );
}

/** Slabs of noise, over and over, in as many tensors as fill `bytes`. */
function modelOf(pw, encoding, bytes) {
  let seed = 1;
  const noise = Float32Array.from({ length: slabRows * columns }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed / 2 ** 32 - 0.5) / 8;
  });
  const slab = pw.quantize(noise, encoding, { inputDim: columns }).bytes;
  const slabs = columns / slabRows;
  const tensors = Array.from({ length: Math.ceil(bytes / (slabs * slab.length)) }, (_, i) => ({
    name: `blk.${i}.attn_q.weight`,
    encoding,
    ne: [columns, columns],
    bytes: () => new Array(slabs).fill(slab),
  }));
  return { metadata: { 'general.architecture': 'llama' }, tensors };
}

async function write(path, chunks) {
  const file = await open(path, 'wx');
  for await (const chunk of chunks) await file.writeFile(chunk);
  await file.close();
}

function readAll(path, size) {
  const file = openSync(path);
  const window = new Uint8Array(256 << 10);
  for (let at = 0; at < size;) at += readSync(file, window, 0, window.length, at);
  closeSync(file);
}

async function checkAll(pw, path) {
  const { ok, findings } = await pw.validate(path);
  if (!ok) throw new Error(`A good file is refused: ${findings[0].message}`);
}

/** Milliseconds of the quickest of a few runs, of which the first warms up. */
async function best(run) {
  let least = Infinity;
  for (let i = 0; i < 5; ++i) {
    const start = performance.now();
    await run();
    if (i > 0) least = Math.min(least, performance.now() - start);
  }
  return least;
}

const percent = (share) => `${(100 * share).toFixed(0)} %`;
