// node examples/web-inference/run.js [FILE.gguf]: the command and the page, on real weights where they are at
// hand, else on made ones of the same shapes.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load } from 'packed-weights';
import { PseudoRandom } from '../../js-tests/support/pseudo-random.js';
import { sharedFile } from '../../js-tests/support/shared.js';
import { inBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';
import { SILERO } from './lstm.js';

const given = process.argv[2] ? resolve(process.argv[2]) : sharedFile('gguf/silero-vad.gguf');

await withInstalled(import.meta.url, async ({ folder, run }) => {
  const path = join(folder, 'weights.gguf');
  if (given) copyFileSync(given, path);
  else writeFileSync(path, await madeWeights());
  console.log(given ? 'trained weights' : 'made weights');
  mustAgree(await run(process.execPath, 'main.js', path));
  await inBrowsers(folder, mustAgree, { path: '?file=weights.gguf' });
});

function mustAgree(said) {
  console.log(said.trim());
  if (!/: agrees with the reference/.test(said)) throw new Error('it does not agree');
}

async function madeWeights() {
  const pw = await load();
  const random = new PseudoRandom(7);
  const [hidden, inputDim] = [128, 128];
  const tensor = (name, encoding, shape) => {
    const values = random.floats(shape.reduce((a, b) => a * b)).map((value) => value / 10);
    const { bytes } = pw.quantize(values, encoding, { inputDim: shape.at(-1) });
    return { name, encoding, shape, bytes };
  };
  const tensors = [
    tensor(SILERO.input, 'Q4_0', [4 * hidden, inputDim]),
    tensor(SILERO.recurrent, 'Q8_0', [4 * hidden, hidden]),
    tensor(SILERO.bias, 'F32', [4 * hidden]),
  ];
  return pw.writeGguf({ metadata: { 'general.architecture': 'lstm' }, tensors });
}
