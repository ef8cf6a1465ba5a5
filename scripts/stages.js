// The stages of `npm test`, in order. A stage gives { passed, failed } from its runner's own count,
// or null when it only prepares. `needs` names stages without which it cannot run.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, sizes } from './build.js';
import { checks } from './check.js';
import { buildPreset } from './cmake.js';
import { doctestCounts, ownCounts, tapCounts } from './counts.js';
import { buildFuzzTargets, describeFuzz, runFuzzTarget } from './fuzz.js';
import { ensureNewerNode } from './newer-node.js';
import { packageChecks } from './package-checks.js';
import { findBrowsers } from './packages.js';
import { ensure } from './setup.js';
import { filesIn } from './stamp.js';
import { attempt, root, say } from './terminal.js';
import { buildWeb } from './web.js';

const isBrowserTest = (path) => path.endsWith('.browser.test.js');
const jsTests = () => filesIn('js-tests').filter((path) => path.endsWith('.test.js'));

export const stages = [
  { name: 'setup', run: ensureAll },
  { name: 'check', run: () => inOrder(checks) },
  { name: 'native-release', run: (show) => native('native-release', show) },
  { name: 'native-sanitize', run: (show) => native('native-sanitize', show) },
  { name: 'fuzz', run: fuzz },
  { name: 'build', run: buildAll },
  { name: 'package', needs: 'build', run: () => inOrder(packageChecks) },
  { name: 'js', needs: 'build', run: (show) => nodeTests(process.execPath, 'js', show) },
  { name: 'js-newer-node', needs: 'build', run: newerNode },
  { name: 'browsers', needs: 'build', run: browserTests },
  { name: 'examples', needs: 'build', run: examples },
];

async function ensureAll() {
  await ensure('npm', 'format', 'build', 'wasm', 'browsers');
  return null;
}

async function inOrder(list) {
  const results = [];
  for (const { name, run } of list) {
    const ok = await run();
    if (!ok) say(`  FAILED: ${name}`);
    results.push(ok);
  }
  return ownCounts(results);
}

async function native(preset, show) {
  await ensure('build', ...(preset === 'native-sanitize' ? ['fuzz'] : []));
  const folder = await buildPreset(preset);
  const program = join(folder, 'packed_tests');
  if (!existsSync(program)) return { passed: 0, failed: 0 };
  const { status, output } = await attempt(program, ['--no-colors'], { show });
  const counts = doctestCounts(output);
  // Leaks and the like are found after doctest's count.
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

// A few seconds of each target, the same inputs every time. `npm run fuzz` goes further.
async function fuzz() {
  const { folder, names } = await buildFuzzTargets();
  const results = [];
  for (const name of names) {
    const result = await runFuzzTarget(folder, name, { runs: 5000 });
    if (!result.ok) say(`  FAILED: ${describeFuzz(name, result)}`);
    results.push(result.ok);
  }
  return ownCounts(results);
}

async function buildAll() {
  await build();
  await buildWeb();
  for (const line of sizes()) say(`  ${line}`);
  return null;
}

async function newerNode(show) {
  const node = await ensureNewerNode();
  if (node) return nodeTests(node, 'js-newer-node', show);
  say('  no newer Node for this system: skipped');
  return null;
}

// One engine beside the other, each with one browser for all its files; what measures time runs alone.
async function browserTests(show) {
  const { chrome, firefox } = findBrowsers();
  const env = { ...process.env, CHROME_PATH: chrome, FIREFOX_PATH: firefox };
  const measures = (path) => /(budgets|first-view)\.browser\.test\.js$/.test(path);
  const files = jsTests().filter(isBrowserTest);
  const together = files.filter((path) => !measures(path));
  const ofEngine = (engine) => {
    const how = { env: { ...env, ENGINE: engine }, files: together, oneProcess: true };
    return nodeTests(process.execPath, `browsers-${engine}`, show, how);
  };
  const counts = await Promise.all(['chrome', 'firefox'].map(ofEngine));
  const alone = { env, files: files.filter(measures), concurrency: 1 };
  counts.push(await nodeTests(process.execPath, 'browsers-alone', show, alone));
  const sum = (what) => counts.reduce((total, count) => total + count[what], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

// The report that people read goes to the terminal, the one that is counted into a file.
async function nodeTests(
  node,
  name,
  show,
  { env = process.env, files = null, concurrency = null, oneProcess = false } = {},
) {
  files ??= jsTests().filter((path) => !isBrowserTest(path));
  if (files.length === 0) return { passed: 0, failed: 0 };
  const report = join(root, 'build/test-reports', `${name}.tap`);
  mkdirSync(join(root, 'build/test-reports'), { recursive: true });
  const options = [
    ...(oneProcess ? [] : ['--test', '--test-timeout=300000']),
    ...(concurrency ? [`--test-concurrency=${concurrency}`] : []),
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=tap', `--test-reporter-destination=${report}`],
    ...(oneProcess ? ['js-tests/support/in-one-process.js'] : []),
  ];
  const { status } = await attempt(node, [...options, ...files], { show, env });
  const counts = tapCounts(readFileSync(report, 'utf8'));
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

// Each examples/NAME.js and examples/NAME/run.js is a program that ends well. Two at a time: they wait for
// browsers and bundlers more than they compute.
async function examples(show) {
  const programs = filesIn('examples').filter((path) =>
    /^examples\/([^/]+\.js|[^/]+\/run\.js)$/.test(path),
  );
  const waiting = [...programs];
  const results = [];
  const work = async () => {
    for (let program = waiting.shift(); program; program = waiting.shift()) {
      // One that hangs is a failure too.
      const limit = { timeout: 300_000, killSignal: 'SIGKILL' };
      const { status } = await attempt(process.execPath, [program], { show, ...limit });
      if (status !== 0) say(`  FAILED: ${program}`);
      results.push(status === 0);
    }
  };
  await Promise.all([work(), work()]);
  return ownCounts(results);
}
