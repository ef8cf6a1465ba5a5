#!/usr/bin/env node
// packed-weights VERB ...: one file per verb, in the table below.
import { load } from 'packed-weights';
import { complaintOf } from './complaint.js';
import { exitCodes, UsageError } from './command.js';
import { meant } from './nearest.js';
import { outliveReaders } from './standard-streams.js';
import { printable } from './table.js';
import { verbs } from './verbs.js';

/** What stands for a verb and has no words of its own. */
const alone = ['help', '--help', '-h', '--version'];

const [verb, ...rest] = process.argv.slice(2);
outliveReaders();
const status = await main(verb, rest);
process.exitCode ??= status;

/**
 * @param {string | undefined} name
 * @param {string[]} words
 */
async function main(name, words) {
  if (name === 'help' && verbs.some((candidate) => candidate.name === words[0])) {
    return main(words[0], ['--help']);
  }
  if (name === 'help' && words[0]?.startsWith('-') === false) {
    return complain(unknownVerb(words[0]));
  }
  if (name !== undefined && alone.includes(name) && words.length > 0) {
    return complain(
      `${name} takes nothing more, not "${printable(words.join(' '))}".\n\n${usage()}`,
    );
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(usage());
    return name === undefined ? exitCodes.usage : exitCodes.clean;
  }
  if (name === '--version') {
    const { version, commit, compiler } = (await load()).build;
    process.stdout.write(`${version}\ncommit ${commit ?? 'unknown'}\n${compiler}\n`);
    return exitCodes.clean;
  }
  const command = verbs.find((candidate) => candidate.name === name);
  if (!command) return complain(unknownVerb(name));
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(`packed-weights ${command.usage}\n    ${command.summary}\n`);
    return exitCodes.clean;
  }
  try {
    return await command.run(words);
  } catch (error) {
    if (error instanceof UsageError) {
      return complain(`${printable(error.message)}\nUsage: packed-weights ${command.usage}\n`);
    }
    const complaint = complaintOf(error);
    if (complaint !== null) return complain(complaint);
    throw error;
  }
}

/** @param {string} text */
function complain(text) {
  process.stderr.write(text);
  return exitCodes.usage;
}

/** @param {string} name */
function unknownVerb(name) {
  const names = verbs.map((verb) => verb.name);
  const near = meant(name, name.startsWith('-') ? alone.slice(1) : names);
  return `There is no verb "${printable(name)}"${near}
There are ${names.join(', ')}; packed-weights --help says what they do.\n`;
}

function usage() {
  const lines = verbs.map(({ usage, summary }) => `  packed-weights ${usage}\n      ${summary}\n`);
  return `packed-weights: quantized weights that know the order of their blocks\n\n${lines.join('')}
help VERB says how one is called, --version which build this is.
Exit status: 0 clean, 1 findings (or nothing was done), 2 wrong usage or a file that cannot be read or written.\n`;
}
