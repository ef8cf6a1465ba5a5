/**
 * A static host as plain as any: it serves the built page under a sub-path and adds no headers, so what
 * holds here (the policy in the page itself, relative addresses) holds everywhere.
 */
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

export const builtPage = fileURLToPath(new URL('../../dist/web', import.meta.url));

/** @param {string} [subPath] */
export async function servePage(subPath = '/some/sub/path/') {
  if (!existsSync(join(builtPage, 'index.html'))) {
    throw new Error('The page is not built: run `npm run build`, or `npx vite build web`.');
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const inside = pathname.startsWith(subPath)
      ? normalize(decodeURIComponent(pathname.slice(subPath.length)))
      : null;
    const path =
      inside === null || inside.startsWith('..')
        ? null
        : join(builtPage, inside === '.' ? 'index.html' : inside);
    try {
      if (!path) throw new Error('outside');
      const content = await readFile(path);
      response
        .writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' })
        .end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    origin,
    url: origin + subPath,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
