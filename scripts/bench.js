// `npm run bench`: builds, then `packed-weights bench` with the arguments given. `--native` runs the same
// kernels natively instead, through Google Benchmark, with its own arguments (--benchmark_filter=q4_k);
// `--files` reads headers and checks files instead (bench-files.js).
import { join } from 'node:path';
import { build } from './build.js';
import { buildPreset } from './cmake.js';
import { ensure } from './setup.js';
import { attempt, main, root } from './terminal.js';

await main(async (args) => {
  if (args.includes('--native')) return native(args);
  return args.includes('--files') ? files() : wasm(args);
});

async function wasm(args) {
  await build();
  return show(process.execPath, [join(root, 'dist/cli/main.js'), 'bench', ...args]);
}

async function files() {
  await build();
  const { benchFiles } = await import('./bench-files.js');
  await benchFiles();
  return 0;
}

async function native(args) {
  await ensure('build', 'bench');
  const folder = await buildPreset('native-bench', { target: 'packed_bench' });
  // Half a thousand rows: a tenth of a second each. A later argument wins over this one.
  const options = ['--benchmark_min_time=0.1', ...args.filter((word) => word !== '--native')];
  return show(join(folder, 'native-tests/bench/packed_bench'), options);
}

async function show(program, args) {
  return (await attempt(program, args, { show: 'inherited', stdio: 'inherit' })).status;
}
