/** The published package for a page of its own: dist/, the golden files and this folder, and an empty page. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { closed, freshPort } from './server.js';

const root = new URL('../../', import.meta.url);
const types = { js: 'text/javascript', wasm: 'application/wasm' };
const known = /^(dist|native-tests\/golden|js-tests\/support)\/[\w.-]+$/;

/** @returns {Promise<{ origin: string, url: string, close: () => Promise<void> }>} */
export async function servePackage() {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
    try {
      const isFile = known.test(path);
      const content = isFile ? await readFile(new URL(path, root)) : '<!doctype html>';
      const type = isFile ? types[path.split('.').at(-1)] : 'text/html';
      response.writeHead(200, { 'content-type': type ?? 'application/octet-stream' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  const origin = `http://127.0.0.1:${await freshPort(server)}`;
  return { origin, url: `${origin}/`, close: () => closed(server) };
}
