// `npm run format`: writes every file as `npm run check` wants it. `npm run format -- PATH...` keeps to
// those files and folders.
import { cppFiles, prettier } from './check.js';
import { findClangFormat } from './packages.js';
import { ensure } from './setup.js';
import { main, run } from './terminal.js';

await main(async (paths) => {
  await ensure('npm', 'format');
  const options = ['--write', '--log-level', 'warn', '--ignore-unknown'];
  await run(process.execPath, [prettier, ...options, ...(paths.length > 0 ? paths : ['.'])]);
  const files = cppFiles(paths.length > 0 ? paths : undefined);
  if (files.length > 0) await run(findClangFormat(), ['-i', ...files]);
});
