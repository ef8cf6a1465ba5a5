/**
 * Tests in a browser: it is there before the first, every test has a limit of time and every page that it opened is
 * looked over and closed. A browser that vanishes fails the test at once.
 */
import { after, before, describe, test } from 'node:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endBrowser, engines, launchBrowser, noProblems, openPage, vanished } from './browser.js';
import { enter, expectGroup, leave } from './common-browser.js';
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
 * @param {{ serve?: () => Promise<{ origin: string, url: string, close: () => Promise<void> }>, limit?: number,
 *   preferences?: Record<string, any> }} [how] `preferences` of Firefox: with them it is a browser of its own
 */
export function describeInBrowser(
  name,
  engine,
  define,
  { serve = servePage, limit = 280_000, preferences } = {},
) {
  if (!engines.includes(engine)) return;
  const own = preferences !== undefined;
  if (!own) expectGroup(engine);
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
        if (own) {
          browser = await launchBrowser(engine, preferences);
          gone = vanished(engine, browser);
        } else {
          ({ browser, gone } = await enter(engine));
        }
      },
      { timeout: 280_000 },
    );
    after(
      async () => {
        if (!own) await leave(engine);
        else if (browser) await endBrowser(browser);
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
