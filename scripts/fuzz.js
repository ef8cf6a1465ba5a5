// `npm run fuzz`: every libFuzzer target of native-tests/fuzz for a minute each (`-- --seconds 10`,
// `-- NAME` for one). What crashes is kept in build/native-fuzz.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreset } from './cmake.js';
import { ensure } from './setup.js';
import { attempt, Failure, main, say } from './terminal.js';

await main(async (args) => {
  await ensure('build', 'fuzz');
  const at = args.indexOf('--seconds');
  const seconds = at >= 0 ? Number(args.splice(at, 2)[1]) : 60;
  const folder = join(await buildPreset('native-fuzz'), 'native-tests/fuzz');
  const targets = readdirSync(folder).filter(
    (name) => name.endsWith('_fuzz') && (args.length === 0 || args.includes(name)),
  );
  if (targets.length === 0) throw new Failure('There is no such fuzz target in native-tests/fuzz.');
  for (const name of targets) {
    say(`${name}: ${seconds} s`);
    const options = [`-max_total_time=${seconds}`, '-print_final_stats=1', '-verbosity=0'];
    const { status } = await attempt(join(folder, name), options, { cwd: folder });
    if (status !== 0) throw new Failure(`${name} found something: see above and ${folder}`);
  }
});
