/** Opens an example's page in Chromium and in Firefox, as a plain static host serves it. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { engines, launchBrowser } from '../../js-tests/support/browser.js';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/**
 * Serves the folder, waits in each browser until the page's <output> says something, and gives that to `judge`.
 * Errors and warnings on the console and failed requests fail the example.
 * @param {string} folder
 * @param {(said: string, page: any) => unknown} judge throws when it is wrong
 * @param {{ path?: string, allowed?: RegExp }} [options] `path` after the address, `allowed` problems that are meant to be
 */
export async function inBrowsers(folder, judge, { path = '', allowed } = {}) {
  const server = await serve(folder);
  try {
    await visitInBrowsers(server.url + path, judge, { allowed });
  } finally {
    server.close();
  }
}

/** The same for a server that runs already. @param {string} url */
export async function visitInBrowsers(url, judge, { allowed } = {}) {
  await Promise.all(engines.map((engine) => visit(engine, url, judge, allowed)));
}

async function visit(engine, url, judge, allowed) {
  const browser = await launchBrowser(engine);
  try {
    const page = await browser.newPage();
    const problems = [];
    const problem = (text) => allowed?.test(text) || problems.push(text);
    page.on('console', (message) => {
      // Browsers ask for an icon of their own accord.
      if (message.location().url?.endsWith('/favicon.ico')) return;
      if (/^(error|warn)/.test(message.type())) problem(message.text());
    });
    page.on('pageerror', (error) => problem(String(error.message ?? error)));
    page.on('requestfailed', (request) => problem(`failed: ${request.url()}`));
    await page.goto(url);
    const said = () => globalThis.document.querySelector('output')?.textContent;
    await page.waitForFunction(said, { timeout: 60_000 }).catch((error) => {
      throw new Error(`${engine}: the page says nothing. ${problems.join('\n')}`, { cause: error });
    });
    await judge(await page.evaluate(said), page);
    if (problems.length > 0) throw new Error(`${engine}: ${problems.join('\n')}`);
    console.log(`${engine}: well`);
  } finally {
    await browser.close();
  }
}

async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    try {
      const name = path.endsWith('/') ? `${path}index.html` : path;
      const content = await readFile(join(folder, name));
      const type = types[extname(name)] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': type }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
