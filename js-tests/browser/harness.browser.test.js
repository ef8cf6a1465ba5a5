// What the tests in browsers stand on: a browser that dies is noticed, and one that hangs is ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endBrowser, engines, launchBrowser, openPage, vanished } from '../support/browser.js';
import { lookedOver } from '../support/in-browser.js';

for (const engine of engines) {
  test(`pages of a ${engine} are looked over also where the test closed them, and closed also where it failed`, async () => {
    const browser = await launchBrowser(engine);
    const never = vanished(engine, browser);
    const open = () => openPage(browser, { origin: 'about:', url: 'about:blank' }, { open: false });
    const closed = await open();
    await closed.evaluate(() => console.error('something is wrong'));
    await closed.close();
    await assert.rejects(lookedOver([closed], Promise.resolve(), never), /something is wrong/);
    const left = await open();
    const failing = Promise.reject(new Error('the test failed'));
    await assert.rejects(lookedOver([closed, left], failing, never), /the test failed/);
    assert.ok(left.isClosed());
    await endBrowser(browser);
  });

  test(`a ${engine} that dies fails its test at once`, { timeout: 280_000 }, async () => {
    const browser = await launchBrowser(engine);
    const gone = vanished(engine, browser);
    const page = await browser.newPage();
    const never = page.evaluate(() => new Promise(() => {})).catch(() => new Promise(() => {}));
    browser.process().kill('SIGKILL');
    await assert.rejects(Promise.race([never, gone]), /The browser is gone .*: (chrome|firefox), /);
    await endBrowser(browser);
  });

  test(`a ${engine} that does not answer is ended all the same`, { timeout: 280_000 }, async () => {
    const browser = await launchBrowser(engine);
    const process = browser.process();
    const ended = new Promise((resolve) => process.once('exit', resolve));
    process.kill('SIGSTOP');
    await endBrowser(browser, 500);
    await ended;
    assert.ok(process.signalCode !== null || process.exitCode !== null);
  });
}
