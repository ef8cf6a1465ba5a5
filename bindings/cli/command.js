import { parseArgs } from 'node:util';
import { meant } from './nearest.js';
import { printable } from './table.js';

/** What a verb ends with. */
export const exitCodes = /** @type {const} */ ({ clean: 0, findings: 1, usage: 2 });

/** The words after a verb are not what it takes. */
export class UsageError extends Error {}

/**
 * Splits words into options and positionals, strictly: an unknown option is an error, and so is one that would be
 * passed over, given twice or with nothing as its value.
 * @param {string[]} words
 * @param {NonNullable<import('node:util').ParseArgsConfig['options']>} options
 * @returns {{ values: Record<string, any>, positionals: string[] }}
 */
export function parse(words, options) {
  let parsed;
  try {
    const strictly = /** @type {const} */ ({ allowPositionals: true, strict: true, tokens: true });
    parsed = parseArgs({ args: words, options, ...strictly });
  } catch (error) {
    throw new UsageError(complaintOfParser(/** @type {Error} */ (error), Object.keys(options)));
  }
  const { values, positionals, tokens } = parsed;
  const given = new Set();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (given.has(token.name)) {
      throw new UsageError(`${token.rawName} is given twice: give it once.`);
    }
    given.add(token.name);
    if (token.value === '') throw new UsageError(`${token.rawName} has an empty value: state one.`);
  }
  return { values, positionals };
}

/**
 * What is wrong, without the parser's advice for words that begin with a dash, which no verb takes.
 * @param {Error} error
 * @param {string[]} names of options
 */
function complaintOfParser({ message }, names) {
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  const known = ['--help', ...names.map((name) => `--${name}`)];
  if (known.includes(unknown)) return `${unknown} takes no value.`;
  return `There is no option ${unknown} here${meant(unknown, known)}`;
}

/** @param {object} document printed with two spaces of indent; what JSON has no number for as text */
export function printJson(document) {
  const asText = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
      ? String(value)
      : value;
  process.stdout.write(`${JSON.stringify(document, asText, 2)}\n`);
}

/** @param {(string | string[])[]} lines long lists as lists: a call takes fewer arguments than a file may have tensors */
export function printLines(...lines) {
  const each = lines.flat();
  process.stdout.write(printable(each.map((line) => `${line}\n`).join('')));
}
