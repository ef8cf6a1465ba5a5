import { bench } from './bench.js';
import { check } from './check.js';
import { compare } from './compare.js';
import { fixtures } from './fixtures.js';
import { inspect } from './inspect.js';
import { prepack } from './prepack.js';
import { quantize } from './quantize.js';
import { view } from './view.js';

/**
 * A verb: how it is called, what it does, and the function that does it, which gives the exit status.
 * @typedef {{ name: string, usage: string, summary: string, run: (words: string[]) => Promise<number> }} Verb
 */

/** @type {Verb[]} */
export const verbs = [inspect, check, compare, fixtures, quantize, prepack, view, bench];
