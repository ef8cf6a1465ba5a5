/**
 * The test files that it is given, in this one process, one after the other: so they share a browser.
 * `node --test` would start a process, and with it browsers, for each.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

for (const path of process.argv.slice(2)) await import(pathToFileURL(resolve(path)).href);
