// The demo page, built by Vite as a user's page would be, into dist/web: `packed-weights view`
// serves it from there, and so does `npm start`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { whenChanged } from './stamp.js';
import { root } from './terminal.js';
import { wasmFiles } from './wasm.js';
import { laterParts } from './bundle-parts.js';

/** Builds the page when it, or the package it imports, has changed. */
export async function buildWeb() {
  if (!existsSync(join(root, 'web/index.html'))) return false;
  const built = ['index.js', ...laterParts, 'bench.js', ...wasmFiles].map((name) => `dist/${name}`);
  const inputs = ['web', ...built, 'scripts/web.js'];
  return whenChanged('web', { inputs, outputs: ['dist/web/index.html'] }, async () => {
    const { build } = await import('vite');
    const outDir = join(root, 'dist/web');
    const options = { root: join(root, 'web'), logLevel: 'warn' };
    // Vite makes this process a production one, in which npm would install no tools any more.
    const { NODE_ENV } = process.env;
    try {
      await build({ ...options, build: { outDir, emptyOutDir: true } });
    } finally {
      if (NODE_ENV === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = NODE_ENV;
    }
  });
}
