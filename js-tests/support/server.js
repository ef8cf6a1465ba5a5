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

/** Files of which one is the worker. */
const WORKER = /\bmain-[^/]*\.js$/;

export const builtPage = fileURLToPath(new URL('../../dist/web', import.meta.url));

/**
 * @param {{ subPath?: string, headers?: Record<string, string>, inWorker?: string }} [how] `headers` that another host
 *   might add; `inWorker` is run by the page's worker before its own code
 */
export async function servePage({ subPath = '/some/sub/path/', headers = {}, inWorker } = {}) {
  if (!existsSync(join(builtPage, 'index.html'))) {
    throw new Error('The page is not built: run `npm run build`, or `npx vite build web`.');
  }
  let refused = /^$/;
  let folder = builtPage;
  const held = { names: /^$/, release: () => {}, until: Promise.resolve() };
  /** @type {string[]} */
  const served = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const inside = pathname.startsWith(subPath)
        ? normalize(decodeURIComponent(pathname.slice(subPath.length)))
        : null;
      const path =
        inside === null || inside.startsWith('..')
          ? null
          : join(folder, inside === '.' ? 'index.html' : inside);
      if (!path) throw new Error('outside');
      const content = await readFile(path);
      if (held.names.test(path)) await held.until;
      if (refused.test(path)) return response.writeHead(503).end();
      served.push(path);
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': type, ...headers });
      if (inWorker && WORKER.test(path)) response.write(`${inWorker}\n`);
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  const origin = `http://127.0.0.1:${await freshPort(server)}`;
  return {
    origin,
    url: origin + subPath,
    /** Paths of what has been sent, on this disk. */
    served,
    /** From now on another build is served. @param {string} other */
    switchTo(other) {
      folder = other;
    },
    /** From now on these files are not sent before the function that it gives is called. @param {RegExp} names */
    hold(names) {
      held.names = names;
      held.until = new Promise((resolve) => (held.release = () => resolve(undefined)));
      return () => held.release();
    },
    /** From now on these files are answered by 503, before the function that it gives is called. @param {RegExp} names */
    refuse(names) {
      refused = names;
      return () => (refused = /^$/);
    },
    close: () => closed(server),
  };
}

const used = new Set();

/**
 * Has it listen, at a port that no server of this process had before: what a browser keeps of an origin is of one
 * server only.
 * @param {import('node:http').Server} server
 * @returns {Promise<number>}
 */
export async function freshPort(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  if (!used.has(port)) return used.add(port) && port;
  await closed(server);
  return freshPort(server);
}

/** Closes it, also where a browser still holds a connection. @param {import('node:http').Server} server */
export function closed(server) {
  return new Promise((resolve) => {
    server.close(() => resolve(undefined));
    server.closeAllConnections();
  });
}
