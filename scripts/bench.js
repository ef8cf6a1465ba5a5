// `npm run bench`: builds, then `packed-weights bench` with the arguments given.
import { join } from 'node:path';
import { build } from './build.js';
import { attempt, main, root } from './terminal.js';

await main(async (args) => {
  await build();
  const program = join(root, 'dist/cli/main.js');
  const { status } = await attempt(process.execPath, [program, 'bench', ...args], {
    show: 'inherited',
    stdio: 'inherit',
  });
  return status;
});
