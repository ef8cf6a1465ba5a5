import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodes, parse, printLines, UsageError } from './command.js';

/** @type {import('./verbs.js').Verb} */
export const view = {
  name: 'view',
  usage: 'view [FILE] [--port N] [--no-open]',
  summary:
    'Serves the page on this machine, to this machine only, and opens it, on FILE when given.',
  run,
};

const page = fileURLToPath(new URL('../web', import.meta.url));

/** @type {Record<string, string>} */
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, {
    port: { type: 'string', default: '0' },
    'no-open': { type: 'boolean' },
  });
  if (positionals.length > 1) throw new UsageError('view takes one file.');
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : NaN;
  if (!(port <= 65535)) {
    throw new UsageError(`--port takes a number up to 65535, not "${values.port}".`);
  }
  const [file] = positionals;
  if (file !== undefined && !(await stat(file)).isFile()) {
    throw new UsageError(`${file} is not a file.`);
  }
  const server = createServer((request, response) => answer(request, response, file));
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve());
    })
  );
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  // Without a file too: a page with `open` keeps nothing for later visits, when another program may be here.
  const opened = file === undefined ? '' : `=${encodeURIComponent(`file/${basename(file)}`)}`;
  const url = `http://127.0.0.1:${address.port}/?open${opened}`;
  printLines(`${url}  (Ctrl-C ends it)`);
  if (!values['no-open']) openInBrowser(url);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  server.closeAllConnections();
  server.close();
  return exitCodes.clean;
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {string | undefined} file
 */
async function answer(request, response, file) {
  // Another page in the same browser may know the port, but not send this name.
  const host = request.headers.host ?? '';
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host) || request.method !== 'GET') {
    response.writeHead(403).end();
    return;
  }
  try {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname));
    if (file !== undefined && path === `/file/${basename(file)}`) {
      await sendPart(request, response, file);
      return;
    }
    const name = join(page, path === '/' ? 'index.html' : path);
    const content = name.startsWith(page) ? await readFile(name) : null;
    if (!content) throw new Error('outside');
    const type = types[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {string} file
 */
async function sendPart(request, response, file) {
  const { size, mtimeMs } = await stat(file);
  const headers = {
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    etag: `"${size}-${mtimeMs}"`,
  };
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const from = match ? Number(match[1]) : 0;
  const to = match?.[2] ? Math.min(size - 1, Number(match[2])) : size - 1;
  if (match && (from >= size || from > to)) {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${size}` }).end();
    return;
  }
  const length = size === 0 ? 0 : to - from + 1;
  response.writeHead(match ? 206 : 200, {
    ...headers,
    'content-length': length,
    ...(match ? { 'content-range': `bytes ${from}-${to}/${size}` } : {}),
  });
  if (length === 0) response.end();
  else
    createReadStream(file, { start: from, end: to })
      .on('error', () => response.destroy())
      .pipe(response);
}

/** @param {string} url */
function openInBrowser(url) {
  const [program, ...words] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url];
  // Where there is no desktop the printed address is enough.
  spawn(program, words, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
