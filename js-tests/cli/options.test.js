// What is given on the command line counts, or is refused: nothing is passed over.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { UsageError } from '../../bindings/cli/command.js';
import { verbs } from '../../bindings/cli/verbs.js';
import { meant } from '../../bindings/cli/nearest.js';
import { commandIn } from '../support/command-line.js';

const packedWeights = commandIn(tmpdir());

/** The options that a verb says it takes, as words: with a value where they have one. */
function optionsOf({ usage }) {
  const found = usage.matchAll(/(?<![\w-])(--?[a-z][a-z-]*)(?: (\w[\w|.]*))?/g);
  return [...found].map(([, option, value]) => (value ? [option, value.split('|')[0]] : [option]));
}

for (const verb of verbs) {
  test(`${verb.name}: every option is refused when it is given twice or with nothing as its value`, async () => {
    const options = optionsOf(verb);
    assert.ok(options.length > 0);
    for (const words of options) {
      const refused = (error) => {
        assert.ok(error instanceof UsageError, `${words.join(' ')}: ${error.stack}`);
        assert.ok(error.message.startsWith(`${words[0]} is given twice`), error.message);
        return true;
      };
      await assert.rejects(verb.run([...words, ...words]), refused);
      await assert.rejects(verb.run([...words, 'file', ...words]), refused);
      if (words.length === 1) continue;
      await assert.rejects(verb.run(['file', words[0], '']), {
        message: `${words[0]} has an empty value: state one.`,
      });
    }
    const twice = packedWeights(verb.name, ...options[0], ...options[0]);
    assert.equal(twice.status, 2, twice.stdout);
    assert.equal(twice.stdout, '');
    assert.match(twice.stderr, /^--?[\w-]+ is given twice.*\nUsage: packed-weights /);
  });
}

test('an option by its long and its short name is given twice', () => {
  const { status, stderr } = packedWeights('fixtures', 'Q4_0', '-o', 'a', '--output', 'b');
  assert.equal(status, 2);
  assert.match(stderr, /^--output is given twice/);
});

test('view: a port that is no number of one is refused', () => {
  for (const port of [' ', '0x50', '8e1', '65536', '-1', '+80']) {
    const { status, stdout, stderr } = packedWeights('view', `--port=${port}`, '--no-open');
    assert.equal(status, 2, `${port}: ${stdout}`);
    assert.match(stderr, /^--port takes a number up to 65535/);
  }
});

test('what stands for a verb takes no words that it would pass over; help says how a verb is called', () => {
  for (const words of [
    ['--version', 'x'],
    ['--help', 'bench'],
    ['help', '--json'],
  ]) {
    const { status, stdout, stderr } = packedWeights(...words);
    assert.equal(status, 2, words.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, new RegExp(`^${words[0]} takes nothing more, not "${words[1]}"`));
  }
  for (const { name } of verbs) {
    const { status, stdout } = packedWeights('help', name);
    assert.equal(status, 0);
    assert.ok(stdout.startsWith(`packed-weights ${name}`));
    assert.equal(stdout, packedWeights(name, '--help').stdout);
  }
});

test('an option or a verb that there is not is said to be that, with the one that is near', () => {
  for (const [words, said] of [
    [['inspect', 'f', '--jsn'], /^There is no option --jsn here; did you mean --json\?\nUsage: /],
    [['fixtures', 'Q4_K', '--out', 'f'], /^There is no option --out here; did you mean --output\?/],
    [['check', 'f', '-q'], /^There is no option -q here; did you mean --quiet\?/],
    [['check', 'f', '--tensor-data=no'], /; did you mean --no-tensor-data\?/],
    [['compare', 'f', '--inputDim', '3'], /; did you mean --in\?/],
    [['check', 'f', '--strict'], /^There is no option --strict here\.\nUsage: /],
    [
      ['inspec', 'f'],
      /^There is no verb "inspec"; did you mean inspect\?\nThere are inspect, check, /,
    ],
    [['help', 'dance'], /^There is no verb "dance"\.\nThere are inspect, /],
    [['bench', '-x'], /^There is no option -x here\.\nUsage: /],
    [['-v'], /^There is no verb "-v"; did you mean --version\?/],
  ]) {
    const { status, stdout, stderr } = packedWeights(...words);
    assert.equal(status, 2, words.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, said);
    assert.doesNotMatch(stderr, /positional/);
  }
  for (const name of ['-h', 'help']) {
    const { status, stdout } = packedWeights(name);
    assert.equal(status, 0);
    assert.equal(stdout, packedWeights('--help').stdout);
  }
  assert.equal(packedWeights('check', '-h').stdout, packedWeights('help', 'check').stdout);
});

test('nothing is suggested for a word that is like none', () => {
  assert.equal(meant('--x', ['--json', '--quick']), '.');
  assert.equal(meant('--', ['--json']), '.');
});
