// `npm test`: everything, on a machine that may lack everything. `npm test -- js browsers` runs only
// those stages (and `setup`), `--verbose` shows the runners' output of what passes as well.
import { stages } from './stages.js';
import { Failure, main, say, secondsSince } from './terminal.js';

await main(async (args) => {
  const show = args.includes('--verbose') ? 'always' : 'on failure';
  const wanted = args.filter((arg) => !arg.startsWith('--'));
  const unknown =
    wanted.find((name) => !stages.some((stage) => stage.name === name)) ??
    args.find((arg) => arg.startsWith('--') && arg !== '--verbose');
  if (unknown) {
    const names = stages.map(({ name }) => name).join(', ');
    throw new Failure(
      `npm test -- [STAGE ...] [--verbose] knows no "${unknown}"; the stages are ${names}.`,
    );
  }
  const chosen = stages.filter(
    ({ name }) => wanted.length === 0 || name === 'setup' || wanted.includes(name),
  );
  const total = { passed: 0, failed: 0 };
  const broken = new Set();
  for (const stage of chosen) {
    const start = performance.now();
    const { passed, failed, what } = await outcome(stage, broken, show);
    total.passed += passed;
    total.failed += failed;
    if (failed > 0) broken.add(stage.name);
    say(`${stage.name.padEnd(16)} ${what.padEnd(28)} ${secondsSince(start)}`);
    if (stage.name === 'setup' && failed > 0) break;
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  return total.failed > 0 ? 1 : 0;
});

async function outcome({ needs, run }, broken, show) {
  if (needs && broken.has(needs)) {
    return { passed: 0, failed: 1, what: `not run: ${needs} failed` };
  }
  try {
    const counts = await run(show);
    if (counts === null) return { passed: 0, failed: 0, what: 'done' };
    const { passed, failed } = counts;
    // A stage that finds nothing to run proves nothing.
    if (passed + failed === 0) return { passed, failed: 1, what: 'FAILED: found no tests' };
    return { passed, failed, what: `${passed} passed, ${failed} failed` };
  } catch (error) {
    say(error instanceof Failure ? error.message : String(error.stack ?? error));
    return { passed: 0, failed: 1, what: 'FAILED' };
  }
}
