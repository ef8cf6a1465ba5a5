// node examples/python-converter/run.js: the steps of github-actions.yml, and the same with a mistake.
import { join } from 'node:path';
import { withInstalled } from '../support/installed.js';
import { commandsOf, step } from '../support/workflow.js';

await withInstalled(import.meta.url, async ({ folder }) => {
  const [fixture, convert, compare] = commandsOf(join(folder, 'github-actions.yml'));
  for (const command of [fixture, convert, compare]) step(command, folder, 0);

  console.log('The same converter with the relayout forgotten: CI goes red and says why.\n');
  step(`${convert} --forget`, folder, 0);
  step(compare, folder, 1);
  const { diagnosis } = JSON.parse(step(`${compare} --json`, folder, 1));
  if (diagnosis.kind !== 'other-order') throw new Error(diagnosis.message);
});
