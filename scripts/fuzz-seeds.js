// Where fuzzing starts: files of native-tests/cases for what reads files, golden blocks behind a few
// choices for what reads blocks (native-tests/fuzz/fuzz_input.h), and what fuzzing has found before.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './terminal.js';

const readsFiles = ['reader_fuzz', 'validator_fuzz'];
const largestSeed = 8192;

/**
 * Writes the seeds of a target into a folder.
 * @param {string} target
 * @param {string} folder
 */
export function writeSeeds(target, folder) {
  mkdirSync(folder, { recursive: true });
  if (readsFiles.includes(target)) writeFiles(folder);
  else writeBlocks(target, folder);
  const found = join(root, 'native-tests/fuzz/found', target);
  if (existsSync(found)) cpSync(found, folder, { recursive: true });
}

function writeFiles(folder) {
  const cases = join(root, 'native-tests/cases/gguf');
  for (const name of readdirSync(cases).filter((file) => file.endsWith('.gguf'))) {
    const bytes = readFileSync(join(cases, name));
    if (bytes.length <= largestSeed) writeFileSync(join(folder, name), bytes);
  }
}

function writeBlocks(target, folder) {
  const golden = join(root, 'native-tests/golden');
  encodings().forEach(({ name, plain }, number) => {
    const file = join(golden, plain ? 'Q4_0.source.f32' : `${name}.arbitrary.bin`);
    if (!existsSync(file)) return;
    for (const choices of choicesOf(target, number, plain)) {
      const seed = Buffer.concat([Buffer.from(choices), readFileSync(file).subarray(0, 2048)]);
      writeFileSync(join(folder, `${name}-${choices.join('-')}`), seed);
    }
  });
}

// The first bytes of an input, as each target reads them.
function choicesOf(target, encoding, plain) {
  const grid = [4, 2]; // 5 rows x 3 blocks
  if (target === 'decoders_fuzz') return [[0, encoding, ...grid]];
  if (target === 'relayout_fuzz') return [0, 1].map((slices) => [encoding, ...grid, slices, 7, 11]);
  // order, whether PLAIN values are many, mistake, edits, whether the length is a choice too
  const many = plain ? [0] : [];
  return [0, 1, 2, 3, 4, 5, 6].map((mistake) => [
    ...[encoding, ...grid, 1, ...many],
    ...[mistake, mistake % 2, 1],
  ]);
}

function encodings() {
  const list = readFileSync(join(root, 'src/encoding/encodings.inc'), 'utf8');
  const lines = [...list.matchAll(/^X\((\w+),.*, (\w+)\)$/gm)];
  return lines.map(([, name, kind]) => ({ name, plain: kind === 'PLAIN' }));
}
