import { load, PackedError } from 'packed-weights';
import { checkAgainst } from './against.js';
import { complaintOf } from './complaint.js';
import { exitCodes, parse, UsageError } from './command.js';
import { reporters } from './reports/reporters.js';

/** @type {import('./verbs.js').Verb} */
export const check = {
  name: 'check',
  usage:
    'check FILE... [--profile spec|llama] [--no-tensor-data] [--against REFERENCE.gguf] [--fail-on error|warning] [--allow-empty] [--format text|json|sarif|junit|tap|github] [--json] [--quiet]',
  summary:
    'Says everything that is wrong with GGUF files; several files that are the shards of one model are checked as one. By the rules of the specification, as text, and failing for errors, unless said otherwise.',
  run,
};

/**
 * What was found in one file, or in the shards of one model.
 * @typedef {object} Checked
 * @property {string} file
 * @property {string[]} files more than one for a split model
 * @property {import('packed-weights').ValidationReport} report
 * @property {boolean} failed by --fail-on, or because nothing was checked
 * @property {PackedError} [error] why it, or what it is held against, could not be read; findings are of what could be
 */

/** @type {import('packed-weights').ValidationReport} */
const nothingFound = {
  findings: [],
  tensorsChecked: 0,
  bytesChecked: 0,
  bytesSkipped: 0,
  ok: false,
};

/** @param {string[]} words */
async function run(words) {
  const { values, positionals } = parse(words, {
    profile: { type: 'string', default: 'spec' },
    'no-tensor-data': { type: 'boolean' },
    against: { type: 'string' },
    'fail-on': { type: 'string', default: 'error' },
    'allow-empty': { type: 'boolean' },
    format: { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
  });
  if (positionals.length === 0) throw new UsageError('check takes at least one file.');
  oneOf('--profile', values.profile, ['spec', 'llama']);
  oneOf('--fail-on', values['fail-on'], ['error', 'warning']);
  const format = values.format ?? (values.json ? 'json' : 'text');
  oneOf('--format', format, Object.keys(reporters));
  if (values.json && format !== 'json') throw new UsageError('--json is --format json.');
  const pw = await load();
  /** @type {Checked[]} */
  const checked = [];
  for (const files of modelsOf(positionals)) {
    try {
      checked.push(await checkModel(pw, files, values));
    } catch (error) {
      if (!(error instanceof PackedError)) throw error;
      // A file that cannot be read does not hide what the others have.
      checked.push({ file: files[0], files, report: nothingFound, failed: true, error });
    }
  }
  process.stdout.write(
    reporters[format](checked, { quiet: values.quiet === true, rules: pw.rules }),
  );
  const errors = checked.flatMap(({ error }) => error ?? []);
  for (const error of errors) process.stderr.write(String(complaintOf(error)));
  if (errors.length > 0) return exitCodes.usage;
  return checked.some(({ failed }) => failed) ? exitCodes.findings : exitCodes.clean;
}

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {string[]} files
 * @param {Record<string, any>} values
 * @returns {Promise<Checked>}
 */
async function checkModel(pw, files, values) {
  const report = await pw.validate(files.length === 1 ? files[0] : files, {
    profile: values.profile,
    tensorData: values['no-tensor-data'] !== true,
    onProgress: progressOf(files.length === 1 ? files[0] : `${files.length} shards`, values),
  });
  try {
    if (values.against !== undefined) {
      const found = await checkAgainst(pw, files, values.against);
      report.findings = report.findings.concat(found);
      report.ok &&= found.every(({ severity }) => severity !== 'error');
    }
  } catch (error) {
    if (!(error instanceof PackedError)) throw error;
    return { file: files[0], files, report: { ...report, ok: false }, failed: true, error };
  }
  return { file: files[0], files, report, failed: fails(report, values) };
}

/**
 * @param {import('packed-weights').ValidationReport} report
 * @param {Record<string, any>} values
 */
function fails({ findings, tensorsChecked }, values) {
  const failing = values['fail-on'] === 'warning' ? ['error', 'warning'] : ['error'];
  if (findings.some(({ severity }) => failing.includes(severity))) return true;
  return tensorsChecked === 0 && values['allow-empty'] !== true;
}

/**
 * Files that are the shards of one model together, by their names; others alone.
 * @param {string[]} paths
 * @returns {string[][]}
 */
function modelsOf(paths) {
  /** @type {Map<string | number, string[]>} */
  const models = new Map();
  for (const path of paths) {
    const shard = /^(.*)-\d{5}-of-(\d{5})\.gguf$/.exec(path);
    // What is given twice is checked twice.
    const key = shard ? `${shard[1]} of ${shard[2]}` : models.size;
    models.set(key, [...(models.get(key) ?? []), path]);
  }
  return [...models.values()];
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string[]} choices
 */
function oneOf(name, value, choices) {
  if (!choices.includes(value)) throw new UsageError(`${name} is one of ${choices.join(', ')}.`);
}

/**
 * A line on the terminal that shows how far a long check is; none elsewhere.
 * @param {string} what
 * @param {Record<string, any>} values
 */
function progressOf(what, values) {
  if (!process.stderr.isTTY || values.quiet) return undefined;
  return (/** @type {{ bytesRead: number, totalBytes: number }} */ { bytesRead, totalBytes }) => {
    const percent = totalBytes === 0 ? 100 : Math.floor((100 * bytesRead) / totalBytes);
    process.stderr.write(bytesRead < totalBytes ? `\r${what}: ${percent} %` : '\r\u001b[K');
  };
}
