/**
 * Real browsers, and pages that keep account: of any console error, uncaught error, failed request, or request to
 * another origin. A browser that is not there fails the suite.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';

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
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --enable-blink-features=ForceEagerMeasureMemory';

/** @typedef {'chrome' | 'firefox'} Engine */

const { ENGINE } = process.env;

/** Both, or the one that ENGINE names. @type {readonly Engine[]} */
export const engines = /** @type {Engine[]} */ (['chrome', 'firefox']).filter(
  (engine) => !ENGINE || engine === ENGINE,
);

/** Its clock ticks as seldom as Chromium's, not ten times more so: a bench waits for ticks. */
export const QUICK_CLOCK = {
  'privacy.resistFingerprinting.reduceTimerPrecision.microseconds': 100,
};

/**
 * The browser alone, without the page.
 * @param {Engine} engine
 * @param {Record<string, any>} [preferences] of Firefox
 */
export function launchBrowser(engine, preferences = QUICK_CLOCK) {
  const executablePath = PROGRAMS[engine].find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error(`${engine} is not installed: the page cannot be tested without it.`);
  return puppeteer.launch({
    browser: engine,
    executablePath,
    headless: true,
    timeout: 100_000,
    protocolTimeout: 100_000,
    args: engine === 'chrome' ? CHROME_ARGS.split(' ') : [],
    extraPrefsFirefox: { 'ui.prefersReducedMotion': 0, ...preferences },
  });
}

/**
 * @typedef {{ width?: number, height?: number, hash?: string, query?: string, media?: { name: string, value: string }[],
 *   expected?: RegExp, open?: boolean, again?: boolean }} PageOptions `expected` problems are allowed; `again`: what
 *   the page keeps for the next visit is kept, otherwise every visit is the first
 */

/**
 * Opens a new page.
 * @param {any} browser
 * @param {{ origin: string, url: string }} site
 * @param {PageOptions} [options]
 */
export async function openPage(
  browser,
  site,
  {
    width = 1280,
    height = 860,
    hash = '',
    query = '',
    media,
    expected,
    open = true,
    again = false,
  } = {},
) {
  const page = await browser.newPage();
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
  if (!again) {
    await page.evaluateOnNewDocument(() => delete Navigator.prototype.serviceWorker);
  }
  if (open) {
    await page.goto(`${site.url}${query}${hash}`);
    await idle(page);
  }
  return page;
}

/** Ends it, also where it does not answer. @param {any} browser @param {number} [patience] in milliseconds */
export async function endBrowser(browser, patience = 10_000) {
  const process = browser.process();
  const tooLong = new Promise((resolve) => setTimeout(resolve, patience, 'too long').unref());
  const outcome = await Promise.race([browser.close().catch(() => 'gone'), tooLong]);
  if (outcome) process?.kill('SIGKILL');
}

/** Fails when the browser is no longer there. @param {Engine} engine @param {any} browser */
export function vanished(engine, browser) {
  const gone = new Promise((_, reject) => {
    browser.once('disconnected', () => {
      const { exitCode, signalCode } = browser.process() ?? {};
      const how =
        signalCode ?? (exitCode === null ? 'it closed its connection' : `status ${exitCode}`);
      reject(new Error(`The browser is gone in the middle of a test: ${engine}, ${how}.`));
    });
  });
  gone.catch(() => {});
  return gone;
}

/**
 * Gives files of the browser's folder to the page, as its button does, and waits until the first is shown.
 * @param {{ folder: string }} browser
 * @param {import('puppeteer-core').Page} page
 * @param {...string} names
 */
export async function openFiles({ folder }, page, ...names) {
  const input = await page.$('input#file');
  await input?.uploadFile(...names.map((name) => join(folder, name)));
  await page.waitForFunction(
    (name) => globalThis.packedPage.store.state.source?.name === name,
    {},
    names[0],
  );
  await idle(page);
}

/** Chooses in a list and presses the button beside it. @param {any} page @param {string} list @param {string} choice */
export async function chooseAndPress(page, list, choice) {
  await page.select(list, choice);
  await page.$eval(`${list} + button`, (button) => button.click());
}

/** Waits until nothing is asked, everything is drawn and the page's state rests. */
export async function idle(page) {
  await page.evaluate(async () => {
    while (!('packedPage' in globalThis)) await new Promise((resolve) => setTimeout(resolve, 5));
    await globalThis.packedPage.idle();
  });
}

/** @param {any} page @returns {Promise<any>} the page's state, what can be copied of it */
export function stateOf(page) {
  return page.evaluate(() => JSON.parse(JSON.stringify(globalThis.packedPage.store.state)));
}

/** What stands in an element, on one line. @param {any} page @param {string} selector */
export function textOf(page, selector) {
  return page.$eval(selector, (e) => e.textContent.replace(/\s+/g, ' ').trim());
}

/** @param {any} page */
export function noProblems(page) {
  if (page.problems.length) throw new Error(`The page had problems:\n${page.problems.join('\n')}`);
}
