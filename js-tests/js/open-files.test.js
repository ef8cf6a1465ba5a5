// Files by their paths: each is closed once, by who opened it or when it is forgotten, and never while it is read.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'packed-weights';
import { smallModel, writeSparseModel } from '../support/gguf-files.js';
import { ggufFile } from '../support/gguf-writer.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-open-'));
after(() => rmSync(folder, { recursive: true }));
const small = join(folder, 'small.gguf');
writeFileSync(small, smallModel());

/** Runs it where memory is collected when asked, and where few files may be open at a time. */
function runAlone(script) {
  const program = `
    const { load, PackedError } = await import('packed-weights');
    const pw = await load();
    const forget = async () => {
      for (let i = 0; i < 3; ++i) {
        gc();
        await new Promise((done) => setTimeout(done, 5));
      }
    };
    ${script}`;
  const node = [process.execPath, '--expose-gc', '--input-type=module', '-e', program];
  const limited = ['-c', 'ulimit -n 200; exec "$@"', 'sh', ...node];
  const { status, stdout, stderr } = spawnSync('sh', limited, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
}

const inUnix = { skip: process.platform === 'win32' };

test(
  'open files: those that nobody closes are closed when they are forgotten, without a word',
  inUnix,
  () => {
    runAlone(`
    for (let i = 0; i < 600; ++i) {
      await pw.openGguf(${JSON.stringify(small)});
      if (i % 50 === 0) await forget();
    }
    await forget();`);
  },
);

test(
  'open files: one that is forgotten while it is read is read to its end, among files that come and go',
  inUnix,
  () => {
    const count = 8;
    const long = 1_000_000;
    for (let i = 0; i < count; ++i) {
      const bytes = new Uint8Array(4 * long).fill(i + 1);
      const tensor = { name: 'w', ne: [long], ggmlType: 0, bytes };
      writeFileSync(
        join(folder, `${i}.gguf`),
        ggufFile({ 'general.architecture': 'test' }, [tensor]),
      );
    }
    runAlone(`
    const read = async (i) => {
      const bytes = await (await pw.openGguf(${JSON.stringify(folder)} + '/' + i + '.gguf')).bytes('w');
      return bytes.length === ${4 * long} && bytes.every((byte) => byte === i + 1);
    };
    const view = async (i) => {
      const file = await pw.openGguf(${JSON.stringify(folder)} + '/' + i + '.gguf');
      const bytes = (await file.view('w')).bytes();
      return bytes[0] === i + 1 && bytes.at(-1) === i + 1;
    };
    const check = async (i) => {
      const report = await pw.validate(${JSON.stringify(folder)} + '/' + i + '.gguf');
      return report.tensorsChecked === 1;
    };
    for (let round = 0; round < 2; ++round) {
      let under = true;
      const all = Promise.all([...Array(${count}).keys()].flatMap((i) => [read(i), view(i), check(i)]));
      all.finally(() => (under = false)).catch(() => {});
      while (under) {
        await forget();
        await pw.openGguf(${JSON.stringify(small)});
      }
      if (!(await all).every(Boolean)) throw new Error('read from another file');
    }`);
  },
);

test('open files: closing waits for what reads, twice is once, and a closed one reads nothing', async () => {
  const path = join(folder, 'sparse.gguf');
  await writeSparseModel(path, [{ name: 'w', encoding: 'F32', ne: [1024, 20_000] }]);
  const before = openNow();
  const file = await pw.openGguf(path);
  const reading = file.bytes('w');
  const closing = [file.close(), file.close()];
  // Its first part is under way, and whole: parts of the system's choice are not asked for any more.
  const read = await reading.then(
    ({ length }) => length === 4 * 1024 * 20_000,
    ({ code }) => code === 'DISPOSED',
  );
  assert.ok(read);
  await Promise.all(closing);
  await file.close();
  await assert.rejects(file.bytes('w'), { code: 'DISPOSED' });
  await assert.rejects(file.view('w'), { code: 'DISPOSED' });
  const other = await pw.openGguf(small);
  await assert.rejects(file.bytes('w'), { code: 'DISPOSED' });
  await other.close();
  assert.equal(openNow(), before);
});

test('open files: none stays open of what cannot be opened, or is checked', async () => {
  const wrong = join(folder, 'wrong.gguf');
  writeFileSync(wrong, 'not a model');
  const before = openNow();
  for (const path of [wrong, folder, join(folder, 'missing')]) {
    await assert.rejects(pw.openGguf(path));
  }
  await assert.rejects(pw.openGguf([small, wrong]));
  await pw.validate(small);
  await pw.validate(wrong);
  {
    await (await pw.openGguf(small))[Symbol.asyncDispose]();
  }
  assert.equal(openNow(), before);
});

/** How many files this process has open; 0 where the system does not say. */
function openNow() {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
