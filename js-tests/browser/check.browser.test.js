// What check prints and reads, in browsers: JUnit XML before their parsers, files as Blobs of any size.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cases } from '../support/cases.js';
import { engines } from '../support/browser.js';
import { ggufFile } from '../support/gguf-writer.js';
import { servePackage } from '../support/package-server.js';
import { describeInBrowser } from '../support/in-browser.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

function junitOf(...paths) {
  const words = [main, 'check', ...paths, '--format', 'junit'];
  return spawnSync(process.execPath, words, { encoding: 'utf8', maxBuffer: 1 << 26 }).stdout;
}

/** A file whose names are everything that XML does not like. */
function hostileNames(folder) {
  const name = `x\n]]></failure>\u0001\uffff"&<\u{1f600}\ud800`;
  const values = new Uint8Array(Float32Array.of(NaN, 1, 2, 3).buffer);
  const path = join(folder, `a & b <c> "d" 'e'.gguf`);
  const tensors = [{ name, ne: [4], ggmlType: 0, bytes: values }];
  writeFileSync(path, ggufFile({ 'general.architecture': 'test' }, tensors));
  return path;
}

/** Runs in the page. */
function parse(text) {
  const parsed = new DOMParser().parseFromString(text, 'application/xml');
  const named = (name) => [...parsed.getElementsByTagName(name)];
  return {
    error: named('parsererror')[0]?.textContent ?? null,
    root: parsed.documentElement.tagName,
    files: named('testcase').map((each) => each.getAttribute('name')),
    failures: named('failure').length,
    declared: ['tests', 'failures'].map((key) => Number(parsed.documentElement.getAttribute(key))),
  };
}

/** Runs in the page: a Blob that is mostly the same megabyte over and over. */
async function checkLarge(mebibytes) {
  const { load } = await import('/dist/index.js');
  const pw = await load();
  const piece = new Float32Array(1 << 18).map((_, i) => i % 1000);
  const tensors = [
    { name: 'w', encoding: 'F32', ne: [1 << 18, mebibytes], bytes: () => new Array(1).fill(piece) },
  ];
  const chunks = [];
  try {
    for await (const chunk of pw.streamGguf({
      metadata: { 'general.architecture': 'test' },
      tensors,
    }))
      chunks.push(chunk);
  } catch (error) {
    // The header is what is wanted; the data are Blobs of one piece.
    if (error.code !== 'SIZE_MISMATCH') throw error;
  }
  const data = new Array(mebibytes).fill(new Blob([piece]));
  const file = new File([chunks[0], ...data], 'large.gguf');
  const seen = [];
  const report = await pw.validate(file, { onProgress: ({ bytesRead }) => seen.push(bytesRead) });
  const controller = new AbortController();
  const aborted = await pw
    .validate(file, { signal: controller.signal, onProgress: () => controller.abort() })
    .catch((error) => error.name);
  const { tensorsChecked, bytesChecked, ok } = report;
  return { tensorsChecked, bytesChecked, ok, steps: seen.length, last: seen.at(-1), aborted };
}

for (const engine of engines) {
  describeInBrowser(
    engine,
    engine,
    (browser) => {
      browser.test(
        "check: JUnit XML is read by the browser's parser, whatever the files are called",
        async () => {
          const page = await browser.page({ open: false });
          await page.goto(browser.site.url);
          const paths = [...cases.map(({ path }) => path), hostileNames(browser.folder)];
          const { error, root, files, failures, declared } = await page.evaluate(
            parse,
            junitOf(...paths),
          );
          assert.equal(error, null);
          assert.equal(root, 'testsuite');
          assert.deepEqual(files, paths);
          assert.deepEqual(declared, [paths.length, failures]);
        },
      );

      browser.test(
        'check: a Blob of 300 MiB is checked by parts, and the check can be cancelled',
        async () => {
          const page = await browser.page({ open: false });
          await page.goto(browser.site.url);
          const result = await page.evaluate(checkLarge, 300);
          assert.equal(result.ok, true);
          assert.equal(result.tensorsChecked, 1);
          assert.equal(result.bytesChecked, 300 * 2 ** 20);
          assert.ok(result.steps > 50);
          assert.equal(result.aborted, 'AbortError');
        },
      );
    },
    { serve: servePackage },
  );
}
