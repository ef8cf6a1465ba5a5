// node examples/python-converter/run.js: the steps of github-actions.yml, and the same with a mistake.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, '../../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'packed-weights-'));

function step(program, words, wanted) {
  console.log(
    `$ ${[program === process.execPath ? 'packed-weights' : program, ...words.slice(1)].join(' ')}`,
  );
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  console.log(stdout + stderr);
  if (status !== wanted) throw new Error(`exit status ${status} instead of ${wanted}`);
  return stdout;
}

try {
  const convert = [join(here, 'convert.py'), 'fixture.bin', 'converted.bin'];
  const sizes = ['--out', '4', '--block-bytes', '144'];
  const words = ['converted.bin', '--encoding', 'Q4_K', '--order', 'kernel', '--fixture'];
  step(process.execPath, [cli, 'fixtures', 'Q4_K', '--order', 'canonical', '-o', 'fixture.bin'], 0);
  step('python3', [...convert, ...sizes], 0);
  step(process.execPath, [cli, 'compare', ...words], 0);

  console.log('The same converter with the relayout forgotten: CI goes red and says why.\n');
  step('python3', [...convert, ...sizes, '--forget'], 0);
  step(process.execPath, [cli, 'compare', ...words], 1);
  const document = JSON.parse(step(process.execPath, [cli, 'compare', ...words, '--json'], 1));
  if (document.diagnosis.kind !== 'other-order') throw new Error(document.diagnosis.message);
} finally {
  rmSync(folder, { recursive: true });
}
