// node examples/gguf-files-ci/run.js: the workflow's steps on a good file, then on one with a damaged tensor.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'packed-weights';
import { withInstalled } from '../support/installed.js';
import { commandsOf, step } from '../support/workflow.js';

const pw = await load();

function model(damage) {
  const { bytes, out, inputDim } = pw.fixtures.decodable('Q4_K');
  const damaged = bytes.slice();
  // The scale of the first block becomes infinite.
  if (damage) damaged.set([0x00, 0x7c]);
  return pw.writeGguf({
    metadata: { 'general.architecture': 'example', 'general.quantization_version': 2 },
    tensors: [
      { name: 'blk.0.ffn_down.weight', encoding: 'Q4_K', shape: [out, inputDim], bytes: damaged },
    ],
  });
}

await withInstalled(import.meta.url, async ({ folder }) => {
  const [annotate, report] = commandsOf(join(folder, 'github-actions.yml'));
  const results = () =>
    JSON.parse(readFileSync(join(folder, 'gguf.sarif'), 'utf8')).runs[0].results;
  mkdirSync(join(folder, 'models'));

  writeFileSync(join(folder, 'models/good.gguf'), model(false));
  step(annotate, folder, 0);
  step(report, folder, 0);
  if (results().length > 0) throw new Error('a good file has findings');

  console.log('A model with an infinite scale: CI goes red and says where.\n');
  writeFileSync(join(folder, 'models/bad.gguf'), model(true));
  const said = step(annotate, folder, 1);
  if (!/^::error file=models\/bad\.gguf/m.test(said)) throw new Error('no annotation');
  step(report, folder, 0);
  if (!results().some(({ level }) => level === 'error')) throw new Error('no result in the report');

  console.log('No model at all: nothing was checked, which is no success either.\n');
  rmSync(join(folder, 'models'), { recursive: true });
  step(annotate, folder, 2);
});
