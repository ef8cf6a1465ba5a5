// An output that cannot be written is refused before any work, and says why; one that breaks off leaves what was there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { replaceFile } from '../../bindings/cli/output-file.js';
import { unfinishedName } from '../../bindings/cli/output-path.js';
import { brokenOff, notWritable } from '../../bindings/cli/write-failed.js';
import { commandIn } from '../support/command-line.js';
import { smallModel, writeSparseModel } from '../support/gguf-files.js';

const folder = mkdtempSync(join(tmpdir(), 'packed-refused-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);
const packedWeights = commandIn(folder);
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
writeFileSync(at('in.gguf'), smallModel());
const all = () => readdirSync(folder, { recursive: true }).sort();

/** The words of each verb that writes, but for what it writes. */
const writers = {
  fixtures: ['fixtures', 'Q4_0', '-o'],
  quantize: ['quantize', 'in.gguf', '--to', 'F16', '-o'],
  prepack: ['prepack', 'in.gguf', '-o'],
};

test('output: what cannot be a name, or be reached, is WRITE_REFUSED by its own cause', () => {
  const before = all();
  for (const [verb, words] of Object.entries(writers)) {
    for (const [output, cause] of [
      ['n'.repeat(256), /cannot be written \(ENAMETOOLONG\): its name is too long/],
      ['\u00e9'.repeat(128), /cannot be written \(ENAMETOOLONG\)/],
      ['in.gguf/x.gguf', /cannot be written \(ENOTDIR\): .* is no folder/],
      ['none/x.gguf', /cannot be written \(ENOENT\): .* in a folder that is there/],
      ['/', /is no file|is there already|names a folder/],
      ...(verb === 'prepack'
        ? [['in.gguf/', /is there already, and is no folder/]]
        : [
            ['x.gguf/', /names a folder.*leave out the slash/],
            ['in.gguf/', /names a folder|is the input|ENOTDIR/],
          ]),
    ]) {
      const { status, stdout, stderr } = packedWeights(...words, output);
      assert.equal(status, 2, `${verb} -o ${output}`);
      assert.match(stderr, /^WRITE_REFUSED: /, `${verb} -o ${output}`);
      assert.match(stderr, cause, `${verb} -o ${output}`);
      assert.doesNotMatch(stderr + stdout, /unfinished/);
    }
  }
  assert.deepEqual(all(), before);
});

test('output: a name of any length that the system takes is written', () => {
  const longest = ['n'.repeat(255), '\u00e9'.repeat(127), '\u{1F40B}'.repeat(63)];
  for (const name of [...longest, 'n'.repeat(231)]) {
    for (const words of Object.values(writers)) {
      const { status, stderr } = packedWeights(...words, name);
      assert.equal(status, 0, stderr);
      rmSync(at(name), { recursive: true });
    }
    const unfinished = basename(unfinishedName(name));
    assert.ok(Buffer.byteLength(unfinished) <= 143, unfinished);
    assert.ok(!unfinished.includes('\ufffd') && unfinished.isWellFormed?.() !== false);
  }
});

test('output: every cause that is known says what to do, and none what is not so', () => {
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'ENAMETOOLONG', 'EIO']) {
    const cause = Object.assign(new Error(code), { code, syscall: 'open' });
    const refused = notWritable('x', cause);
    assert.equal(refused.code, 'WRITE_REFUSED');
    assert.match(refused.message, /^x cannot be written \(E\w+\): .*choose another/);
    assert.doesNotMatch(refused.message, /in a folder that is there/);
    const broken = brokenOff('x', cause);
    assert.equal(broken.code, 'IO_FAILED');
    assert.match(broken.message, /what was there before is as it was$/);
  }
  const own = new TypeError('of the program');
  assert.equal(brokenOff('x', own), own);
});

test('output: one that outgrows what may be stored names itself and the cure; what was there stays', () => {
  writeFileSync(at('old'), 'what was there');
  const before = all();
  // In blocks of 512 bytes.
  const limited = 'ulimit -f 2; exec "$0" "$@"';
  for (const [verb, words] of Object.entries(writers)) {
    if (verb === 'fixtures') continue;
    const output = verb === 'prepack' ? 'new' : 'old';
    const command = ['-c', limited, process.execPath, main, ...words, output];
    const { status, stderr } = spawnSync('sh', command, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 2, stderr);
    assert.match(
      stderr,
      new RegExp(`^IO_FAILED: ${output} could not be written .*EFBIG.*choose another output; what`),
    );
    assert.equal(readFileSync(at('old'), 'utf8'), 'what was there');
    assert.deepEqual(all(), before);
  }
});

test('output: more than is free there is refused before anything is read or written', async () => {
  const tensor = { name: 'w', encoding: 'Q4_0', ne: [2 ** 21, 2 ** 22] };
  await writeSparseModel(at('large.gguf'), [tensor]);
  writeFileSync(at('old'), 'what was there');
  const before = all();
  for (const [verb, output, words, needs] of [
    ['quantize', 'old', ['--to', 'F32'], 2 ** 45],
    ['prepack', 'new', [], (2 ** 43 / 32) * 18],
  ]) {
    const { status, stderr } = packedWeights(verb, 'large.gguf', ...words, '-o', output);
    assert.equal(status, 2, stderr);
    assert.match(
      stderr,
      new RegExp(`^WRITE_REFUSED: ${output} needs ${needs} bytes, and \\d+ are`),
    );
    assert.equal(readFileSync(at('old'), 'utf8'), 'what was there');
    assert.deepEqual(all(), before);
  }
});

test('output: who may read and write what is replaced is who may afterwards', async () => {
  for (const mode of [0o600, 0o640, 0o666, 0o400, 0o755]) {
    writeFileSync(at('kept'), 'old');
    chmodSync(at('kept'), mode);
    let meanwhile = 0;
    const chunks = function* () {
      yield Uint8Array.of(1);
      const [made] = readdirSync(folder).filter((name) => name.startsWith('.kept.'));
      meanwhile = statSync(at(made)).mode & 0o777;
    };
    await replaceFile(at('kept'), [], chunks());
    assert.equal(statSync(at('kept')).mode & 0o777, mode);
    assert.equal(meanwhile, 0o600);
    rmSync(at('kept'));
    mkdirSync(at('room'));
    chmodSync(at('room'), mode | 0o700);
    assert.equal(packedWeights(...writers.prepack, 'room').status, 0);
    assert.equal(statSync(at('room')).mode & 0o777, mode | 0o700);
    rmSync(at('room'), { recursive: true });
  }
  assert.ok(!existsSync(at('kept')));
});
