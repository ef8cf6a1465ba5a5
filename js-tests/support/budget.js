/**
 * What the page promises to cost. Every number is printed beside its promise; limits of time only catch what
 * hangs, because a machine that builds something else meanwhile is slow, not wrong.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/**
 * @param {string} what
 * @param {number} value
 * @param {string} unit
 * @param {number} promise
 * @param {number} limit what fails the test
 */
export function hold(what, value, unit, promise, limit) {
  const line = `${what}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit} (promise ${promise}, limit ${limit})`;
  console.log(`    ${line}`);
  assert.ok(value <= limit, line);
}

/** @param {number[]} list @param {number} p */
export function percentile(list, p) {
  return [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];
}

/** Of files as a host would send them, each once, in KB. @param {string[]} paths */
export function gzippedKilobytes(paths) {
  const sizes = [...new Set(paths)].map(
    (path) => gzipSync(readFileSync(path), { level: 9 }).length,
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0) / 1000;
}
