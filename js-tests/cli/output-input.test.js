// An input is never overwritten, however it is named and however the output is.
import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { load } from 'packed-weights';
import { requireReplaceable } from '../../bindings/cli/output-path.js';
import { commandIn } from '../support/command-line.js';
import { smallModel } from '../support/gguf-files.js';

const pw = await load();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packed-inputs-')));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);
const model = smallModel();
const own = 'my model.gguf';
writeFileSync(at(own), model);
mkdirSync(at('room'));
symlinkSync(own, at('symbolic.gguf'));
linkSync(at(own), at('hard.gguf'));
symlinkSync('.', at('same-folder'));
const { href } = pathToFileURL(at(own));

const opened = openSync(at(own), 'r');

/** Ways to name the file; those of Linux alone name what the process has open. */
const names = [
  own,
  `./${own}`,
  `room/../${own}`,
  `same-folder/${own}`,
  at(own),
  'symbolic.gguf',
  'hard.gguf',
  href,
  href.replace('file:', 'FILE:'),
  href.replace('file://', 'file://localhost'),
  href.replace('file://', 'file:'),
  `${href}?x#y`,
  href.replace('model', '%6Dodel'),
  pathToFileURL(at('hard.gguf')).href,
  pathToFileURL(at('symbolic.gguf')).href,
  ...(process.platform === 'linux' ? [`/proc/self/fd/${opened}`, `/dev/fd/${opened}`] : []),
];
const packedWeights = commandIn(folder);
// As the command runs there.
process.chdir(folder);

for (const input of names) {
  test(`output: ${input.replace(folder, 'FOLDER')} names an input that is not overwritten`, async () => {
    const file = await pw.openGguf(input);
    assert.equal(file.tensors.length, 4);
    await file.close();
    for (const output of [own, 'hard.gguf', 'symbolic.gguf', `same-folder/${own}`]) {
      await assert.rejects(requireReplaceable(output, ['other.gguf', input]), {
        code: 'WRITE_REFUSED',
        message: `${output} is the input ${input}, which is never overwritten: choose another output`,
      });
    }
    await requireReplaceable('other.gguf', [input]);
  });
}

test('quantize, prepack: an input by its URL stays as it was', () => {
  for (const [verb, ...words] of [['quantize', '--to', 'F16'], ['prepack']]) {
    const { status, stderr } = packedWeights(verb, href, ...words, '-o', own);
    assert.equal(status, 2);
    assert.match(stderr, /^WRITE_REFUSED: /);
    assert.deepEqual(new Uint8Array(readFileSync(own)), model);
  }
});

test('output: what is named like an input, but is another file, is written', () => {
  const { status, stderr } = packedWeights(
    'quantize',
    href,
    '--to',
    'F16',
    '-o',
    'my%20model.gguf',
  );
  assert.equal(status, 0, stderr);
  assert.deepEqual(new Uint8Array(readFileSync(at(own))), model);
});

test('output: each of several shards is an input, by whatever name', () => {
  const bytes = new Uint8Array(64 * 32 * 4);
  const tensors = ['a', 'b'].map((name) => ({ name, encoding: 'F32', ne: [64, 32], bytes }));
  const shards = pw.splitGguf({ tensors }, { prefix: at('m'), maxBytes: 10240 });
  assert.ok(shards.length > 1);
  for (const shard of shards) writeFileSync(shard.name, pw.writeGguf(shard));
  const inputs = shards.map(({ name }) => pathToFileURL(name).href);
  for (const { name } of shards) {
    const held = readFileSync(name);
    const { status, stderr } = packedWeights('quantize', ...inputs, '--to', 'F16', '-o', name);
    assert.equal(status, 2);
    assert.match(stderr, /^WRITE_REFUSED: .* is the input file:/);
    assert.deepEqual(readFileSync(name), held);
  }
});
