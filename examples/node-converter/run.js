// node examples/node-converter/run.js: the converter's CI test passes; then each mistake, as CI shows it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertAgrees, fixtures } from 'packed-weights/testing';
import { mistakes } from './mistakes.js';

const folder = dirname(fileURLToPath(import.meta.url));
const ci = spawnSync(process.execPath, ['--test', join(folder, 'converter.test.js')], {
  encoding: 'utf8',
  env: { ...process.env, NODE_TEST_CONTEXT: undefined },
});
if (ci.status !== 0) throw new Error(`The converter's own test fails:\n${ci.stdout}${ci.stderr}`);
console.log('The converter as it should be: its CI test passes.\n');

for (const mistake of mistakes) {
  const { title, kind, encoding = 'Q8_0', kernelOrder = true } = mistake;
  const { bytes: reference, out, blocksPerRow } = mistake.weight ?? fixtures.decodable('Q8_0');
  const options = { kernelOrder, out, blocksPerRow, reference };
  try {
    assertAgrees(mistake.make(reference, out, blocksPerRow), encoding, options);
  } catch (error) {
    console.log(`--- a converter that ${title}:\n${error.message}\n`);
    if (error.diagnosis?.kind === kind) continue;
    throw new Error(`"${title}" should be called ${kind}`, { cause: error });
  }
  throw new Error(`"${title}" went unnoticed`);
}
