import { github } from './github.js';
import { json } from './json.js';
import { junit } from './junit.js';
import { sarif } from './sarif.js';
import { tap } from './tap.js';
import { text } from './text.js';

/**
 * The forms in which check prints what it found.
 * @type {Record<string, import('./place.js').Reporter>}
 */
export const reporters = { text, json, sarif, junit, tap, github };
