// A model is read from many places, so a pipe is refused, and before it is opened: that would wait for its other end.
// Bytes to compare are read from front to back, and may come from one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { verbs } from '../../bindings/cli/verbs.js';
import { smallModel } from '../support/gguf-files.js';

const folder = mkdtempSync(join(tmpdir(), 'packed-pipe-'));
after(() => rmSync(folder, { recursive: true }));
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
writeFileSync(join(folder, 'in.gguf'), smallModel());
writeFileSync(join(folder, 'in.bin'), new Uint8Array(34));
assert.equal(spawnSync('mkfifo', [join(folder, 'pipe')]).status, 0);

const bytes = ['--encoding', 'Q8_0', '--order', 'kernel'];
const places = [
  ['inspect', 'pipe'],
  ['inspect', `file://${folder}/pipe`],
  ['check', 'pipe'],
  ['check', 'in.gguf', 'pipe'],
  ['check', 'pipe-00001-of-00002.gguf', 'pipe'],
  ['check', 'in.gguf', '--against', 'pipe'],
  ['compare', 'in.bin', ...bytes, '--reference', 'pipe', '--tensor', 'w'],
  ['quantize', 'pipe', '--to', 'Q8_0', '-o', 'out'],
  ['quantize', 'in.gguf', 'pipe', '--to', 'Q8_0', '-o', 'out'],
  ['prepack', 'pipe', '-o', 'out'],
  ['prepack', 'in.gguf', 'pipe', '-o', 'out'],
  ['view', 'pipe', '--no-open'],
];

test('every verb that reads a file is called here', () => {
  for (const { name, usage } of verbs) {
    const reads = /FILE|BYTES/.test(usage.replace('-o FILE', ''));
    assert.equal(
      places.some(([verb]) => verb === name),
      reads,
      name,
    );
  }
});

for (const words of places) {
  const what = words.join(' ').replace(folder, '');
  test(`${what}: a pipe to which nobody writes is no file, and is not waited for`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 100_000,
    });
    assert.equal(status, 2, `${stdout}${stderr}`);
    assert.match(stderr, /pipe (cannot be (opened|read): it )?is not a file/);
  });
}

test('compare: bytes may come from a pipe', () => {
  const words = `compare /dev/stdin --encoding Q8_0 --order kernel --fixture`;
  for (const [size, status] of [
    [34 * 12, 1],
    [34, 1],
  ]) {
    const command = `head -c ${size} /dev/zero | "${process.execPath}" "${main}" ${words}`;
    const run = spawnSync('sh', ['-c', command], { encoding: 'utf8', timeout: 100_000 });
    assert.equal(run.status, status, run.stderr);
    assert.match(run.stdout, size === 34 ? /early/ : /misplaced|nowhere|every byte is 0/);
  }
});
