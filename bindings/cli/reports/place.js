import { visible } from '../table.js';

/**
 * Gives all of a report as text.
 * @typedef {(checked: import('../check.js').Checked[], options: { quiet: boolean, rules: Rule[] }) => string} Reporter
 * @typedef {{ id: string, spec: string, llama: string, text: string }} Rule
 */

/**
 * Where a finding is, in words: "tensor blk.0.ffn_down.weight, block (3,7), byte 4096".
 * @param {import('packed-weights').Finding} finding
 */
export function placeOf({ tensor, o, b, offset }) {
  const parts = [];
  if (tensor !== undefined) parts.push(`tensor ${visible(tensor)}`);
  if (o !== undefined && b !== undefined) parts.push(`block (${o},${b})`);
  if (offset !== undefined) parts.push(`byte ${offset}`);
  return parts.join(', ');
}

/**
 * @param {string} text
 * @param {Record<string, string>} escapes
 */
export function escaped(text, escapes) {
  return [...text].map((character) => escapes[character] ?? character).join('');
}
