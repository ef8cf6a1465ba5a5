// `node scripts/reference.js`: writes what is generated of the documentation, bindings/js/API.md from the types
// that the package ships and the tables of README.md from the lists. A test compares. Run it after a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiPage } from './reference-api.js';
import { withTables } from './reference-tables.js';
import { isProgram, main, root, say } from './terminal.js';

/** [path, text as it should be] of every page that is generated, wholly or in part. */
export async function pages() {
  const { format } = await import('prettier');
  const config = JSON.parse(readFileSync(join(root, '.prettierrc.json'), 'utf8'));
  const formatted = (text) => format(text, { ...config, parser: 'markdown' });
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  return [
    ['bindings/js/API.md', await formatted(apiPage())],
    ['README.md', await formatted(await withTables(readme))],
  ];
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    for (const [path, text] of await pages()) {
      writeFileSync(join(root, path), text);
      say(`wrote ${path}`);
    }
  });
}
