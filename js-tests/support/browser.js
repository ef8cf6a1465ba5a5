/**
 * Real browsers for the page's tests. A page fails its test on any console error, uncaught error, failed
 * request, or request to another origin. A browser that is not there fails the suite.
 */
import { existsSync } from 'node:fs';
import puppeteer from 'puppeteer-core';
import { servePage } from './server.js';

const PROGRAMS = {
  chrome: [
    process.env.CHROME_PATH,
    '/usr/bin/chromium',
    '/usr/bin/google-chrome',
    '/usr/bin/chromium-browser',
  ],
  firefox: [process.env.FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
};

const CHROME_ARGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** @typedef {'chrome' | 'firefox'} Engine */

/** @type {readonly Engine[]} */
export const engines = ['chrome', 'firefox'];

/** The browser alone, without the page. @param {Engine} engine */
export function launchBrowser(engine) {
  const executablePath = PROGRAMS[engine].find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error(`${engine} is not installed: the page cannot be tested without it.`);
  return puppeteer.launch({
    browser: engine,
    executablePath,
    headless: true,
    protocolTimeout: 100_000,
    args: engine === 'chrome' ? CHROME_ARGS.split(' ') : [],
    extraPrefsFirefox: { 'ui.prefersReducedMotion': 0 },
  });
}

/**
 * @param {Engine} engine
 * @returns {Promise<{ page: (options?: PageOptions) => Promise<any>, site: Awaited<ReturnType<typeof servePage>>, engine: Engine, close: () => Promise<void> }>}
 */
export async function startBrowser(engine) {
  const site = await servePage();
  const browser = await launchBrowser(engine);
  /** @type {any[]} */
  const pages = [];
  return {
    engine,
    site,
    page: async (options = {}) => {
      const page = await browser.newPage();
      pages.push(page);
      await prepare(page, site, options);
      return page;
    },
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/**
 * @typedef {{ width?: number, height?: number, hash?: string, query?: string, media?: { name: string, value: string }[],
 *   expected?: RegExp, open?: boolean }} PageOptions `expected` problems are allowed
 */

/** @param {any} page @param {{ origin: string, url: string }} site @param {PageOptions} options */
async function prepare(
  page,
  site,
  { width = 1280, height = 860, hash = '', query = '', media, expected, open = true },
) {
  /** @type {string[]} */
  page.problems = [];
  /** @type {{ method: string, url: string }[]} */
  page.requests = [];
  const problem = (/** @type {string} */ text) => expected?.test(text) || page.problems.push(text);
  page.on('console', (m) => m.type() === 'error' && problem(`console: ${m.text()}`));
  page.on('pageerror', (e) => problem(`uncaught: ${e.message ?? e}`));
  page.on('requestfailed', (r) => problem(`failed: ${r.url()}`));
  page.on('request', (r) => {
    page.requests.push({ method: r.method(), url: r.url() });
    if (!r.url().startsWith(site.origin) && !/^(blob|data|about):/.test(r.url()))
      problem(`elsewhere: ${r.url()}`);
  });
  // A machine that builds something else meanwhile is slow, not wrong.
  page.setDefaultTimeout(100_000);
  await page.setViewport({ width, height });
  if (media) await page.emulateMediaFeatures(media);
  if (open) {
    await page.goto(`${site.url}${query}${hash}`);
    await idle(page);
  }
}

/** Waits until nothing is asked, everything is drawn and the page's state rests. */
export async function idle(page) {
  await page.waitForFunction(() => 'packedPage' in globalThis);
  await page.evaluate(() => globalThis.packedPage.idle());
}

/** @param {any} page @returns {Promise<any>} the page's state, what can be copied of it */
export function stateOf(page) {
  return page.evaluate(() => JSON.parse(JSON.stringify(globalThis.packedPage.store.state)));
}

/** @param {any} page */
export function noProblems(page) {
  if (page.problems.length) throw new Error(`The page had problems:\n${page.problems.join('\n')}`);
}
