// `node scripts/screenshot.js`: web/screenshot.webp for the README, of the page as it is built, with its sample open.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { idle, launchBrowser } from '../js-tests/support/browser.js';
import { servePage } from '../js-tests/support/server.js';
import { isProgram, main, root, say } from './terminal.js';

const path = join(root, 'web/screenshot.webp');

if (isProgram(import.meta.url)) {
  await main(async () => {
    const site = await servePage();
    const browser = await launchBrowser('chrome');
    try {
      const page = await browser.newPage();
      await page.setViewport({ width: 1280, height: 800 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
      await page.goto(site.url);
      await idle(page);
      await page.screenshot({ path, type: 'webp', quality: 80 });
    } finally {
      await browser.close();
      await site.close();
    }
    say(`web/screenshot.webp: ${statSync(path).size} bytes`);
  });
}
