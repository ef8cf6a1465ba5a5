// Who ends a verb early finds what was there before: nothing unfinished, and the status of the signal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'packed-weights';
import { smallModel } from '../support/gguf-files.js';
import { honest, serveBytes } from '../support/odd-servers.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-interrupted-'));
after(() => rmSync(folder, { recursive: true }));
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const model = smallModel();
const file = await pw.openGguf(model);
const wanted = file.tensor('experts.weight');
await file.close();

/**
 * A verb that reads from a server, which sends all but the third tensor: by then two have been written.
 * @param {import('node:test').TestContext} context
 * @param {string[]} words
 */
async function heldUp(context, words) {
  let held = () => {};
  const reached = new Promise((resolve) => (held = () => resolve('held')));
  const server = await serveBytes(model, (request) => {
    const { offset, byteLength } = wanted;
    const last = offset + byteLength - 1;
    if (request.range === `bytes ${offset}-${last}/${model.length}`) held();
    else honest(request);
  });
  const child = spawn(process.execPath, [main, words[0], server.url, ...words.slice(1)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  context.after(async () => {
    child.kill('SIGKILL');
    await server.close();
  });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const first = await Promise.race([reached, once(child, 'exit')]);
  assert.equal(first, 'held', stderr);
  return child;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  for (const words of [
    ['quantize', '--to', 'F16', '-o', 'out'],
    ['prepack', '-o', 'out'],
  ]) {
    test(`${words[0]}: ${signal} ends it by this signal and leaves nothing unfinished`, async (context) => {
      const child = await heldUp(context, words);
      const there = readdirSync(folder);
      assert.equal(there.length, 1);
      assert.match(there[0], /^\.out\.[0-9a-f]+\.unfinished$/);
      child.kill(signal);
      const [status, by] = await once(child, 'exit');
      assert.deepEqual([status, by], [null, signal]);
      assert.deepEqual(readdirSync(folder), []);
    });
  }
}

test('an output that was there stays when the verb that would replace it is ended', async (context) => {
  writeFileSync(join(folder, 'out'), 'what was there');
  const child = await heldUp(context, ['quantize', '--to', 'F16', '-o', 'out']);
  child.kill('SIGTERM');
  await once(child, 'exit');
  assert.deepEqual(readdirSync(folder), ['out']);
  rmSync(join(folder, 'out'));
});
