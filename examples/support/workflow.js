/** The commands of a GitHub Actions workflow, run as its runner would. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Its `run:` lines, but for the one that installs the package: here that is the tarball.
 * @param {string} path of the .yml
 * @returns {string[]}
 */
export function commandsOf(path) {
  const commands = [...readFileSync(path, 'utf8').matchAll(/^\s+(?:- )?run: (.+)$/gm)];
  const others = commands.map(([, line]) => line).filter((line) => !/^npm install/.test(line));
  if (others.length === commands.length) throw new Error(`${path} does not install the package`);
  return others;
}

/**
 * Runs one, shows it and what it says, and gives that.
 * @param {string} command
 * @param {string} folder
 * @param {number} wanted exit status
 */
export function step(command, folder, wanted) {
  console.log(`$ ${command}`);
  // As GitHub runs `run:` lines.
  const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', command];
  const { status, stdout, stderr, error } = spawnSync('bash', options, {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error) throw error;
  console.log(stdout + stderr);
  if (status !== wanted) throw new Error(`exit status ${status} instead of ${wanted}`);
  return stdout;
}
