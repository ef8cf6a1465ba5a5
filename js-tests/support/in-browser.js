/**
 * Tests in a browser of their own: it is there before the first and ended after the last, every test has a limit
 * of time and every page that it opened is looked over and closed. A browser that vanishes fails the test at once.
 */
import { after, before, describe, test } from 'node:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endBrowser, launchBrowser, noProblems, openPage } from './browser.js';
import { servePage } from './server.js';

/**
 * @typedef {object} InBrowser
 * @property {(name: string, ...rest: any[]) => void} test as node:test's own: options may stand before the work
 * @property {(options?: import('./browser.js').PageOptions) => Promise<any>} page opens one
 * @property {any} site what is served, of `serve`
 * @property {string} folder an empty one, removed afterwards
 */

/**
 * @param {string} name
 * @param {import('./browser.js').Engine} engine
 * @param {(browser: InBrowser) => void} define
 * @param {{ serve?: () => Promise<{ origin: string, url: string, close: () => Promise<void> }>, limit?: number }} [how]
 */
export function describeInBrowser(
  name,
  engine,
  define,
  { serve = servePage, limit = 280_000 } = {},
) {
  describe(name, () => {
    /** @type {any} */
    let browser;
    /** @type {Promise<never>} */
    let gone;
    /** @type {any[]} */
    let pages = [];
    /** @type {InBrowser} */
    const given = {
      site: null,
      folder: '',
      async page(options) {
        const page = await openPage(browser, given.site, options);
        pages.push(page);
        return page;
      },
      test(title, ...rest) {
        const [work, options] = rest.reverse();
        test(title, { timeout: limit, ...options }, async (t) => {
          const opened = (pages = []);
          await lookedOver(opened, Promise.race([work(t), gone]), gone);
        });
      },
    };
    before(
      async () => {
        given.folder = await mkdtemp(join(tmpdir(), 'browser-'));
        given.site = await serve();
        browser = await launchBrowser(engine);
        gone = vanished(engine, browser);
      },
      { timeout: 100_000 },
    );
    after(
      async () => {
        if (browser) await endBrowser(browser);
        await given.site?.close();
        await rm(given.folder, { recursive: true, force: true });
      },
      { timeout: 60_000 },
    );
    define(given);
  });
}

/**
 * Waits for the work, and looks over every page that it opened, also those that it closed; none stays open.
 * @param {any[]} pages
 * @param {Promise<any>} work
 * @param {Promise<never>} gone
 */
export async function lookedOver(pages, work, gone) {
  try {
    await work;
    pages.forEach(noProblems);
  } finally {
    // What went wrong before is the failure to tell.
    const closing = pages.filter((page) => !page.isClosed()).map((page) => page.close());
    await Promise.race([Promise.allSettled(closing), gone]).catch(() => {});
  }
}

/** Fails when the browser is no longer there. */
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
