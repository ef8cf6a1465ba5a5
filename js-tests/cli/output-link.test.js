// A link is never replaced: what it leads to would stay as it was, unnoticed.
import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandIn } from '../support/command-line.js';
import { smallModel } from '../support/gguf-files.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packed-links-')));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);
const packedWeights = commandIn(folder);

writeFileSync(at('in.gguf'), smallModel());
writeFileSync(at('precious.bin'), 'precious');
mkdirSync(at('room'));
mkdirSync(at('deep/est'), { recursive: true });
/** Links, and where each leads. */
const links = {
  'to-file': ['precious.bin', 'precious.bin'],
  'to-link': ['to-file', 'precious.bin'],
  'deep/up': ['../precious.bin', 'precious.bin'],
  absolute: [at('precious.bin'), 'precious.bin'],
  dangling: ['nothing.bin', 'nothing.bin'],
  'deep/dangling': ['est/nothing.bin', 'deep/est/nothing.bin'],
  'absolute-dangling': [at('nothing.bin'), 'nothing.bin'],
  'to-room': ['room', 'room'],
};
for (const [name, [target]] of Object.entries(links)) symlinkSync(target, at(name));
const all = () => readdirSync(folder, { recursive: true }).sort();
const before = all();

/** The words of each verb that writes, but for what it writes. */
const writers = {
  fixtures: ['fixtures', 'Q4_0', '-o'],
  quantize: ['quantize', 'in.gguf', '--to', 'F16', '-o'],
  prepack: ['prepack', 'in.gguf', '-o'],
};

function requireRefused(run, output, target) {
  const { status, stderr } = run;
  assert.equal(status, 2, output);
  const says = `${output} is a link to ${at(target)} and is not replaced: give that path as the output`;
  assert.equal(stderr, `WRITE_REFUSED: ${says}\n`);
  for (const name of Object.keys(links)) assert.ok(lstatSync(at(name)).isSymbolicLink(), name);
  assert.equal(readFileSync(at('precious.bin'), 'utf8'), 'precious');
  assert.deepEqual(all(), before);
}

for (const [verb, words] of Object.entries(writers)) {
  test(`${verb}: an output that is a link is refused, with the path that it leads to, and nothing changes`, () => {
    for (const [name, [, target]] of Object.entries(links)) {
      if (name === 'to-room' && verb !== 'prepack') continue;
      requireRefused(packedWeights(...words, name), name, target);
    }
  });
}

test('output: a link is one however its folder is called', () => {
  for (const output of ['./to-file', at('to-file'), 'deep/../to-file'])
    requireRefused(packedWeights(...writers.fixtures, output), output, 'precious.bin');
});

test('prepack: a link to a folder is one with a slash behind it too', () => {
  requireRefused(packedWeights(...writers.prepack, 'to-room/'), 'to-room/', 'room');
});

test('fixtures: one link among several files is found before the first of them is written', () => {
  const words = ['fixtures', 'Q4_0', '--decodable', '-o', 'content.bin'];
  for (const end of ['decoded.f32', 'x.f32', 'y.f32']) {
    symlinkSync('precious.bin', at(`content.bin.${end}`));
    const { status, stderr } = packedWeights(...words);
    assert.equal(status, 2);
    assert.match(stderr, new RegExp(`^WRITE_REFUSED: content\\.bin\\.${end} is a link to `));
    rmSync(at(`content.bin.${end}`));
    assert.deepEqual(all(), before);
  }
});

test('output: folders before its name may be links', () => {
  for (const [verb, words] of Object.entries(writers)) {
    const { status, stderr } = packedWeights(...words, `to-room/${verb}.out`);
    assert.equal(status, 0, stderr);
    assert.ok(existsSync(at(`room/${verb}.out`)), verb);
    assert.ok(lstatSync(at('to-room')).isSymbolicLink());
  }
});
