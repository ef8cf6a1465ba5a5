/** Puts service-worker.js beside the built page, with the list of what has been built and its digest. */
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const source = new URL('./src/service-worker.js', import.meta.url);

/** For Vite. */
export const offlinePlugin = {
  name: 'offline',
  apply: 'build',
  async writeBundle({ dir }) {
    const files = (await readdir(join(dir, 'assets'))).sort().map((name) => `assets/${name}`);
    const hash = createHash('sha256');
    for (const path of ['index.html', ...files])
      hash.update(path).update(await readFile(join(dir, path)));
    const build = { digest: hash.digest('hex').slice(0, 16), files };
    const code = await readFile(source, 'utf8');
    await writeFile(
      join(dir, 'service-worker.js'),
      `const BUILD = ${JSON.stringify(build)};\n${code}`,
    );
  },
};
