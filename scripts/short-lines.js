// Where nobody catches an error, Node prints the line that threw it, before what it says: of a minified file, all
// of it. So its functions and classes are lines of their own.
import { readFileSync, writeFileSync } from 'node:fs';
import { Failure } from './terminal.js';

const beginnings = /(?<=[};])(?=(?:async function|function|class|var) )/g;

/** Breaks the lines of a minified script, in which nothing else changes. @param {string} path */
export async function breakLines(path) {
  const text = readFileSync(path, 'utf8');
  const broken = text.replace(beginnings, '\n');
  const [before, after] = await Promise.all([text, broken].map(minified));
  if (before !== after) throw new Failure(`Breaking the lines of ${path} changed what it says.`);
  writeFileSync(path, broken);
}

/** @param {string} text */
async function minified(text) {
  const { transform } = await import('esbuild');
  return (await transform(text, { minify: true, format: 'esm' })).code;
}
