// The forms in which check prints: each is read by other programs, so each is parsed here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { casePath, cases } from '../support/cases.js';
import { ggufFile } from '../support/gguf-writer.js';
import { requireWellFormed } from '../support/xml.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const require = createRequire(import.meta.url);
const paths = cases.map(({ path }) => path);

/** All case files in one run, in one form. */
function printed(format, ...words) {
  const run = spawnSync(process.execPath, [main, 'check', ...paths, '--format', format, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(run.status, 1, run.stderr);
  assert.equal(run.stderr, '');
  return run.stdout;
}

// One pattern of the published schema is none under the flag u.
const lenient = { strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false };
const document = JSON.parse(printed('json'));
const count = document.files.reduce((sum, { findings }) => sum + findings.length, 0);

const shipped = require.resolve('packed-weights/schemas/check.schema.json');
const validDocument = new Ajv({ strict: true, allErrors: true }).compile(
  JSON.parse(readFileSync(shipped, 'utf8')),
);

const schema = require.resolve('@microsoft/jest-sarif/package.json');
const published = readFileSync(
  fileURLToPath(new URL('./lib/schemas/sarif-2.1.0-rtm.5.json', `file://${schema}`)),
  'utf8',
);
// It is written in draft 4, of which it uses nothing but the names that draft 7 has as well.
const { $schema: draft, id: schemaId, ...rest } = JSON.parse(published);
const validLog = new Ajv(lenient).compile(rest);

test('json: is valid against the schema that the package ships', () => {
  assert.ok(validDocument(document), JSON.stringify(validDocument.errors));
  assert.equal(document.schemaVersion, 1);
  assert.equal(document.files.length, paths.length);
  assert.ok(!validDocument({ ...document, schemaVersion: 2 }));
  assert.ok(!validDocument({ ...document, files: [{ ...document.files[0], findings: [{}] }] }));
});

test('sarif: is valid against the published schema of 2.1.0, and names byte regions', () => {
  assert.match(draft, /draft-04/);
  assert.match(schemaId, /sarif-2\.1\.0/);
  const log = JSON.parse(printed('sarif'));
  assert.ok(validLog(log), JSON.stringify(validLog.errors?.slice(0, 5), null, 1));
  assert.ok(!validLog({ ...log, runs: [{}] }));

  const [{ results, tool }] = log.runs;
  assert.equal(log.version, '2.1.0');
  assert.equal(results.length, count);
  const ids = tool.driver.rules.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { ruleId } of results) assert.ok(ids.includes(ruleId), ruleId);
  const nan = results.find(({ locations: [{ physicalLocation }] }) =>
    physicalLocation.artifactLocation.uri.endsWith('data-f32-nan.gguf'),
  );
  assert.equal(nan.level, 'error');
  const { region } = nan.locations[0].physicalLocation;
  assert.ok(region.byteOffset > 0 && region.byteLength > 0);
  assert.equal(nan.locations[0].logicalLocations[0].name, 'w');
});

test('junit: is well-formed XML with a test case for each file', () => {
  const text = printed('junit');
  const elements = requireWellFormed(text);
  assert.equal(elements.filter(({ name }) => name === 'testcase').length, paths.length);
  const failures = elements.filter(({ name }) => name === 'failure').length;
  assert.equal(failures, document.files.filter(({ failed }) => failed).length);
  const [suite] = elements;
  assert.equal(suite.name, 'testsuite');
  assert.equal(Number(suite.attributes.tests), paths.length);
  assert.equal(Number(suite.attributes.failures), failures);
});

test('tap: has a plan and a numbered line for each file, everything else is a comment', () => {
  const [version, plan, ...lines] = printed('tap').trimEnd().split('\n');
  assert.equal(version, 'TAP version 13');
  assert.equal(plan, `1..${paths.length}`);
  const points = lines.filter((line) => !line.startsWith('# '));
  points.forEach((line, i) => {
    assert.match(line, new RegExp(`^(not )?ok ${i + 1} - `));
    assert.equal(line.startsWith('not ok'), document.files[i].failed, line);
  });
  assert.equal(points.length, paths.length);
});

test('github: is a workflow command on each line, with nothing that would end it early', () => {
  const lines = printed('github').trimEnd().split('\n');
  for (const line of lines)
    assert.match(line, /^::(error|warning|notice) file=[^,:]+(,title=[^,:]+)?::.+$/);
  assert.ok(lines.length >= count);
});

/** What `check` says of files by themselves. */
function findingsAlone(files) {
  const { stdout } = spawnSync(process.execPath, [main, 'check', ...files, '--json'], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout).files[0].findings;
}

test('forms: a file that cannot be read, or held against its reference, is an error in each of them', () => {
  const [good, bad] = [casePath('ok-min.gguf'), casePath('data-f32-nan.gguf')];
  const [missing, text] = ['missing.gguf', casePath('hdr-gzip.gguf')];
  for (const [words, files, unread, code, says] of [
    [[good, missing, bad], 3, [missing], 'IO_FAILED', /missing\.gguf cannot be opened/],
    [[missing], 1, [missing], 'IO_FAILED', /missing\.gguf cannot be opened/],
    [[good, '--against', missing], 1, [good], 'IO_FAILED', /missing\.gguf cannot be opened/],
    [[good, bad, '--against', text], 2, [good, bad], 'NOT_GGUF', /the reference .*hdr-gzip\.gguf/],
  ]) {
    const run = (format) => {
      const args = [main, 'check', ...words, '--format', format];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(status, 2, format);
      assert.equal(stderr.split(`${code}: `).length, unread.length + 1, stderr);
      return stdout;
    };
    const document = JSON.parse(run('json'));
    assert.ok(validDocument(document), JSON.stringify(validDocument.errors));
    assert.equal(document.files.length, files);
    const withError = document.files.filter(({ error }) => error);
    assert.deepEqual(
      withError.flatMap((file) => file.files),
      unread,
    );
    for (const { error, failed, ok, findings, files: of } of withError) {
      assert.equal(error.code, code);
      assert.match(error.message, says);
      assert.deepEqual([failed, ok], [true, false]);
      // What was found before the reference turned out to be none is not lost.
      assert.deepEqual(findings, words.includes('--against') ? findingsAlone(of) : []);
    }

    const log = JSON.parse(run('sarif'));
    assert.ok(validLog(log), JSON.stringify(validLog.errors));
    const [{ executionSuccessful, toolExecutionNotifications: said }] = log.runs[0].invocations;
    assert.equal(executionSuccessful, false);
    assert.deepEqual(
      said.map(({ descriptor, locations: [{ physicalLocation }] }) => [
        descriptor.id,
        decodeURI(physicalLocation.artifactLocation.uri).replace('file://', ''),
      ]),
      unread.map((path) => [code, path]),
    );
    for (const { level, message } of said) {
      assert.equal(level, 'error');
      assert.match(message.text, says);
    }

    const [suite, ...elements] = requireWellFormed(run('junit'));
    const cases = elements.filter(({ name }) => name === 'testcase');
    const errors = elements.filter(({ name }) => name === 'error');
    assert.deepEqual(
      [suite.attributes.tests, suite.attributes.errors],
      [files, unread.length].map(String),
    );
    assert.equal(cases.length, files);
    assert.equal(errors.length, unread.length);
    for (const { attributes } of errors) {
      assert.equal(attributes.type, code);
      assert.match(attributes.message, says);
    }
    const failures = elements.filter(({ name }) => name === 'failure').length;
    assert.equal(Number(suite.attributes.failures), failures);

    const lines = run('tap').trimEnd().split('\n');
    assert.equal(lines[1], `1..${files}`);
    for (const path of unread) {
      const at = lines.findIndex((line) => /^not ok \d+ - /.test(line) && line.endsWith(path));
      assert.match(lines[at + 1], new RegExp(`^# error: .* \\[${code}\\]$`));
      assert.match(lines[at + 1], says);
    }

    const commands = run('github')
      .split('\n')
      .filter((line) => line.includes(`title=${code}::`));
    assert.equal(commands.length, unread.length);
    for (const line of commands) {
      assert.match(line, /^::error file=[^,:]+,title=[^,:]+::.+$/);
      assert.match(line, says);
    }
    const plain = run('text');
    assert.doesNotMatch(plain, says);
    const { rule } = findingsAlone([bad]).find(({ severity }) => severity !== 'info');
    assert.equal(plain.includes(`[${rule}]`), words.includes(bad), plain);
  }
});

test('forms: names that are markup, commands or line breaks stay names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-forms-'));
  const path = join(folder, `a & b <c> "d" 100%.gguf`);
  const name = `x\n::error::no]]></failure>\u0001"&<`;
  const values = new Uint8Array(Float32Array.of(NaN, 1, 2, 3).buffer);
  writeFileSync(
    path,
    ggufFile({ 'general.architecture': 'test' }, [{ name, ne: [4], ggmlType: 0, bytes: values }]),
  );
  const run = (format) =>
    spawnSync(process.execPath, [main, 'check', path, '--format', format], { encoding: 'utf8' })
      .stdout;
  requireWellFormed(run('junit'));
  for (const line of run('github').trimEnd().split('\n'))
    assert.match(line, /^::(error|warning|notice) file=/);
  for (const line of run('tap').trimEnd().split('\n').slice(2))
    assert.match(line, /^(# |not ok 1 - )/);
  const [{ results }] = JSON.parse(run('sarif')).runs;
  assert.match(
    results[0].locations[0].physicalLocation.artifactLocation.uri,
    /^file:\/\/.*a%20&%20b%20%3Cc%3E%20%22d%22%20100%25\.gguf$/,
  );
  assert.ok(JSON.parse(run('json')).files[0].findings.some(({ tensor }) => tensor === name));
  // A terminal obeys control characters, and a log of GitHub Actions obeys lines of commands.
  assert.doesNotMatch(run('text'), /^::error|[\u0000-\u0009\u000b-\u001f]/m);
  assert.match(run('text'), /tensor x\\x0a::error/);
  rmSync(folder, { recursive: true });
});
