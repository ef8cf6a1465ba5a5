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

test('json: is valid against the schema that the package ships', () => {
  const path = require.resolve('packed-weights/schemas/check.schema.json');
  const valid = new Ajv({ strict: true, allErrors: true }).compile(
    JSON.parse(readFileSync(path, 'utf8')),
  );
  assert.ok(valid(document), JSON.stringify(valid.errors));
  assert.equal(document.schemaVersion, 1);
  assert.equal(document.files.length, paths.length);
  assert.ok(!valid({ ...document, schemaVersion: 2 }));
  assert.ok(!valid({ ...document, files: [{ ...document.files[0], findings: [{}] }] }));
});

test('sarif: is valid against the published schema of 2.1.0, and names byte regions', () => {
  const schema = require.resolve('@microsoft/jest-sarif/package.json');
  const published = readFileSync(
    fileURLToPath(new URL('./lib/schemas/sarif-2.1.0-rtm.5.json', `file://${schema}`)),
    'utf8',
  );
  // It is written in draft 4, of which it uses nothing but the names that draft 7 has as well.
  const { $schema: draft, id, ...rest } = JSON.parse(published);
  assert.match(draft, /draft-04/);
  assert.match(id, /sarif-2\.1\.0/);
  const valid = new Ajv(lenient).compile(rest);
  const log = JSON.parse(printed('sarif'));
  assert.ok(valid(log), JSON.stringify(valid.errors?.slice(0, 5), null, 1));
  assert.ok(!valid({ ...log, runs: [{}] }));

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
