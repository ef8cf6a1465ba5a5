// `npm run fuzz`: every libFuzzer target of native-tests/fuzz for a minute each (`-- --seconds 10`,
// `-- NAME` for one). What it learns is kept in build/fuzz/corpus, what it finds in build/fuzz/findings: mend
// that, and keep the input in native-tests/fuzz/found/TARGET under a name that says what it shows.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreset } from './cmake.js';
import { writeSeeds } from './fuzz-seeds.js';
import { ensure } from './setup.js';
import { attempt, Failure, isProgram, main, root, say } from './terminal.js';

// A hang, a file that takes more memory than promised (the sanitizers need most of the 512), and one
// allocation that a count has not earned are findings too.
const limits = ['-timeout=10', '-rss_limit_mb=512', '-malloc_limit_mb=64', '-max_len=8192'];

function fuzzTargets() {
  const sources = readdirSync(join(root, 'native-tests/fuzz'));
  return sources.flatMap((file) => /^(\w+_fuzz)\.cpp$/.exec(file)?.[1] ?? []);
}

/** Builds all targets. Gives the folder of the programs and their names. */
export async function buildFuzzTargets() {
  await ensure('build', 'fuzz');
  const build = await buildPreset('native-sanitize', { target: 'fuzz_targets' });
  return { folder: join(build, 'native-tests/fuzz'), names: fuzzTargets() };
}

/**
 * Runs one target. With `seconds` it goes on from what earlier runs have learned, with `runs` it starts
 * from the seeds and does the same every time.
 * @param {string} folder
 * @param {string} name
 * @param {{ seconds?: number, runs?: number }} how
 */
export async function runFuzzTarget(folder, name, { seconds, runs }) {
  const home = join(root, 'build/fuzz');
  const seeds = join(home, 'seeds', name);
  const corpus = join(home, runs ? 'short' : 'corpus', name);
  const findings = join(home, 'findings', name);
  rmSync(seeds, { recursive: true, force: true });
  if (runs) rmSync(corpus, { recursive: true, force: true });
  writeSeeds(name, seeds);
  mkdirSync(corpus, { recursive: true });
  mkdirSync(findings, { recursive: true });
  const length = runs ? [`-runs=${runs}`, '-seed=1'] : [`-max_total_time=${seconds}`];
  const options = [...limits, ...length, '-print_final_stats=1', `-artifact_prefix=${findings}/`];
  const program = join(folder, name);
  const { status, output } = await attempt(program, [...options, corpus, seeds], { show: 'never' });
  if (status !== 0) process.stdout.write(output.split('\n').slice(-60).join('\n'));
  return { ok: status === 0, findings, ...countsOf(output) };
}

function countsOf(output) {
  const last = (pattern) => Number([...output.matchAll(pattern)].at(-1)?.[1] ?? NaN);
  return {
    inputs: last(/number_of_executed_units: (\d+)/g),
    edges: last(/ cov: (\d+)/g),
    features: last(/ ft: (\d+)/g),
    kept: last(/ corp: (\d+)/g),
  };
}

/** "reader_fuzz: 4000 inputs, 1234 edges, 5678 features, 210 inputs kept" */
export function describeFuzz(name, { ok, findings, inputs, edges, features, kept }) {
  const counts = `${inputs} inputs, ${edges} edges, ${features} features, ${kept} inputs kept`;
  return `${name}: ${counts}${ok ? '' : `: FOUND SOMETHING, kept in ${findings}`}`;
}

if (isProgram(import.meta.url)) {
  await main(async (args) => {
    const at = args.indexOf('--seconds');
    const seconds = at >= 0 ? Number(args.splice(at, 2)[1]) : 60;
    if (!(seconds > 0)) throw new Failure('--seconds takes a number.');
    const names = fuzzTargets();
    const unknown = args.filter((name) => !names.includes(name));
    if (unknown.length > 0) {
      throw new Failure(`No target ${unknown.join(', ')}; there are ${names.join(', ')}.`);
    }
    const chosen = names.filter((name) => args.length === 0 || args.includes(name));
    const { folder } = await buildFuzzTargets();
    let found = 0;
    for (const name of chosen) {
      say(`${name}: ${seconds} s`);
      const result = await runFuzzTarget(folder, name, { seconds });
      process.stdout.write(`${describeFuzz(name, result)}\n`);
      found += result.ok ? 0 : 1;
    }
    if (found > 0) throw new Failure(`${found} of ${chosen.length} targets found something.`);
  });
}
