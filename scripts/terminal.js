// Running other programs and talking to the person at the terminal. Node builtins only: this file is
// used before node_modules exists.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A failure whose message is all that the person needs to read: no stack is printed for it. */
export class Failure extends Error {}

/** Prints one line about what is going on. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Full path of the first of these commands that is on PATH, or null. */
export function which(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        if (statSync(path).isFile()) return path;
      } catch {
        // not here: look on
      }
    }
  }
  return null;
}

/** Standard output of a command, trimmed, or null when it cannot run or fails. */
export function capture(command, args = [], options = {}) {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  });
  return status === 0 ? stdout.trim() : null;
}

/**
 * Runs a command to its end and gives its exit status and output. The output is shown as it comes
 * (`show: 'always'`), only when the command fails (`show: 'on failure'`, the default), or never.
 * With `stdio: 'inherit'` the command has the terminal to itself.
 */
export function attempt(command, args = [], { show = 'on failure', ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
    });
    let output = '';
    const take = (chunk) => {
      output += chunk;
      if (show === 'always') process.stdout.write(chunk);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.on('error', (error) =>
      reject(new Failure(`${command} could not start: ${error.message}`)),
    );
    child.on('close', (status, signal) => {
      const failed = status !== 0;
      if (failed && show === 'on failure') process.stdout.write(output);
      resolve({ status: status ?? 1, signal, output });
    });
  });
}

/** Like `attempt`, but a failing command is a Failure that names it. Gives the output. */
export async function run(command, args = [], options = {}) {
  const { status, signal, output } = await attempt(command, args, options);
  if (status === 0) return output;
  throw new Failure(`${[command, ...args].join(' ')} ended with ${signal ?? `status ${status}`}`);
}

/** Seconds since `start` (a performance.now()), as people read them. */
export function secondsSince(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** Says what starts, does it, and says how long it took. */
export async function timed(what, work) {
  say(what);
  const start = performance.now();
  const result = await work();
  say(`  ${secondsSince(start)}`);
  return result;
}

/** True when this module is the program that Node was started with. */
export function isProgram(url) {
  return process.argv[1] === fileURLToPath(url);
}

/** Runs the program; a Failure is printed as its message and ends with status 1. */
export async function main(program) {
  try {
    const status = await program(process.argv.slice(2));
    process.exitCode = status ?? 0;
  } catch (error) {
    say(error instanceof Failure ? error.message : (error.stack ?? String(error)));
    process.exitCode = 1;
  }
}
