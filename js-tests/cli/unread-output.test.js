// What is printed may be read by nobody: `| head` has seen enough. What else a verb does is done to its end.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { verbs } from '../../bindings/cli/verbs.js';
import { casePath } from '../support/cases.js';
import { smallModel } from '../support/gguf-files.js';

const folder = mkdtempSync(join(tmpdir(), 'packed-unread-'));
after(() => rmSync(folder, { recursive: true }));
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
writeFileSync(join(folder, 'in.gguf'), smallModel());
writeFileSync(join(folder, 'none.bin'), new Uint8Array(180));
const nan = casePath('data-f32-nan.gguf');
const tiny = ['--quick', '--shape', '32x512', '--milliseconds', '1', '--op', 'gemv'];
const blocks = ['--encoding', 'Q4_0', '--order', 'kernel', '--fixture'];

/** What each verb is called with, the status that it ends with, and the file that is there then. */
const calls = [
  [0, null, 'inspect', 'in.gguf'],
  [0, null, 'check', 'in.gguf'],
  [1, null, 'check', nan, '--json'],
  [2, null, 'check', 'in.gguf', 'missing.gguf'],
  [1, null, 'compare', 'none.bin', ...blocks],
  [0, 'q4.bin', 'fixtures', 'Q4_0', '-o', 'q4.bin'],
  [0, 'f16.gguf', 'quantize', 'in.gguf', '--to', 'F16', '-o', 'f16.gguf'],
  [0, 'packed/manifest.json', 'prepack', 'in.gguf', '-o', 'packed'],
  [0, null, 'view', '--help'],
  [0, null, 'bench', 'Q4_0', ...tiny],
  [0, null, 'help'],
  [2, null],
];

const run = (words, stdout, stderr) =>
  spawnSync(process.execPath, [main, ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', stdout, stderr],
    timeout: 100_000,
  });

/** The end of a pipe that is written to, when nobody reads from it any more. */
function unreadPipe() {
  const path = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  const both = openSync(path, constants.O_RDWR);
  const end = openSync(path, 'w');
  closeSync(both);
  rmSync(path);
  return end;
}

/** Calls with nothing of earlier ones left. */
function* freshCalls() {
  for (const [status, file, ...words] of calls) {
    if (file !== null) rmSync(join(folder, file.split('/')[0]), { recursive: true, force: true });
    yield { status, file, words, what: words.join(' ') };
    if (file !== null) assert.ok(readFileSync(join(folder, file)).length > 0, words.join(' '));
  }
}

test('every verb is called here', () => {
  const called = new Set(calls.map(([, , verb]) => verb));
  for (const { name } of verbs) assert.ok(called.has(name), name);
});

test('output that nobody reads: a verb does its work, says nothing of it and ends with its own status', () => {
  const pipe = unreadPipe();
  for (const { status, words, what } of freshCalls()) {
    const { status: found, stderr } = run(words, pipe, 'pipe');
    assert.equal(found, status, `${what}: ${stderr}`);
    assert.equal(stderr, what.includes('missing') ? run(words, 'ignore', 'pipe').stderr : '');
  }
  closeSync(pipe);
});

test('output and errors that nobody reads: a verb ends with its own status', () => {
  const pipe = unreadPipe();
  for (const { status, words, what } of freshCalls())
    assert.equal(run(words, pipe, pipe).status, status, what);
  closeSync(pipe);
});

const full = existsSync('/dev/full') ? {} : { skip: 'there is no /dev/full' };
test(
  'output that cannot be written is said once and ends with 2; what is written to files is there',
  full,
  () => {
    const device = openSync('/dev/full', 'w');
    for (const { words, what } of freshCalls()) {
      const { status, stderr } = run(words, device, 'pipe');
      assert.equal(status, 2, what);
      const own = stderr.split('\n').filter((line) => /ENOSPC|    at /.test(line));
      assert.equal(own.length, 1, `${what}: ${stderr}`);
      assert.match(own[0], /^IO_FAILED: what is printed cannot be written: ENOSPC/);
    }
    closeSync(device);
  },
);
