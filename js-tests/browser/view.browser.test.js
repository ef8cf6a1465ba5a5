// `packed-weights view FILE`: the page, on this machine, on that file.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { idle, stateOf } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';
import { smallModel } from '../support/gguf-files.js';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

describeInBrowser('view', 'chrome', (browser) => {
  browser.test(
    'view: the page opens on the file, reads it by parts, and nothing else of the disk is served',
    async () => {
      const { folder } = browser;
      const path = join(folder, 'small model.gguf');
      await writeFile(path, smallModel());
      await writeFile(join(folder, 'secret.txt'), 'no');
      const server = spawn(process.execPath, [cli, 'view', path, '--no-open']);
      try {
        const url = await new Promise((resolve, reject) => {
          server.stdout.once('data', (text) => resolve(String(text).split(' ')[0]));
          server.once('exit', (code) => reject(new Error(`view ended with ${code}`)));
        });
        const page = await browser.page({ open: false, expected: /^elsewhere: http:..127/ });
        const ranges = [];
        page.on('request', (r) => r.headers().range && ranges.push(r.headers().range));
        await page.goto(url);
        await idle(page);
        const { source, tensor, block } = await stateOf(page);
        assert.deepEqual(
          [source.name, tensor, source.size],
          ['small model.gguf', 'tall.weight', smallModel().length],
        );
        assert.equal(Object.keys(block.bytes).length, 18);
        const { origin } = new URL(url);
        for (const bad of [
          '/file/secret.txt',
          '/..%2f..%2fpackage.json',
          '/file/..%2fsecret.txt',
        ]) {
          assert.equal((await fetch(origin + bad)).status, 404, bad);
        }
        const part = await fetch(`${origin}/file/small%20model.gguf`, {
          headers: { range: 'bytes=0-3' },
        });
        assert.equal(part.status, 206);
        assert.equal(await part.text(), 'GGUF');
        assert.equal((await fetch(origin, { method: 'POST' })).status, 403);
      } finally {
        server.kill();
      }
    },
  );
});
