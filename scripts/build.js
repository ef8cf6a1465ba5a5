// `npm run build`: both wasm modules, dist/ with the page, and what they weigh. `npm pack` does it first.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildDist } from './bundle.js';
import { withLock } from './lock.js';
import { ensure } from './setup.js';
import { isProgram, main, root } from './terminal.js';
import { buildWasm, wasmFiles } from './wasm.js';
import { buildWeb } from './web.js';
import { laterParts } from './bundle-parts.js';

/** Builds the package as it is published, on a machine that may lack everything. */
export async function build() {
  const { emscripten } = await ensure('wasm');
  await withLock(join(root, 'build/build.lock'), async () => {
    await buildWasm(emscripten);
    await buildDist();
  });
}

/** Lines with the raw and gzipped size of each file that a page loads. */
export function sizes() {
  const names = ['index.js', ...laterParts, 'bench.js', ...wasmFiles, 'inline.js'];
  const rows = names
    .filter((name) => existsSync(join(root, 'dist', name)))
    .map((name) => {
      const bytes = readFileSync(join(root, 'dist', name));
      return [name, bytes.length, gzipSync(bytes, { level: 9 }).length];
    });
  const number = (n) => n.toLocaleString('en-US').padStart(9);
  return [
    `${'dist/'.padEnd(20)}${'bytes'.padStart(9)} ${'gzipped'.padStart(9)}`,
    ...rows.map(([name, raw, gzipped]) => `${name.padEnd(20)}${number(raw)} ${number(gzipped)}`),
  ];
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    await build();
    await buildWeb();
    process.stdout.write(`${sizes().join('\n')}\n`);
  });
}
