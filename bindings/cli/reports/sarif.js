import { pathToFileURL } from 'node:url';

const levels = { error: 'error', warning: 'warning', info: 'note' };

/**
 * SARIF 2.1.0. A finding in a binary file is a region of bytes; what cannot be read is no finding in it, but a
 * notification of the run.
 * @type {import('./place.js').Reporter}
 */
export function sarif(checked, { rules }) {
  const results = checked.flatMap(({ file, report }) =>
    report.findings.map((finding) => resultOf(finding.file ?? file, finding)),
  );
  const known = new Map(rules.map(({ id, text }) => [id, text]));
  for (const { ruleId } of results)
    if (!known.has(ruleId)) known.set(ruleId, 'the file equals its reference');
  const unread = checked.flatMap(({ file, error }) => (error ? [notificationOf(file, error)] : []));
  const codes = [...new Set(unread.map(({ descriptor }) => descriptor.id))];
  const driver = {
    name: 'packed-weights',
    rules: [...known].map(([id, text]) => ({ id, shortDescription: { text } })),
    notifications: codes.map((id) => ({ id })),
  };
  const invocations = [
    { executionSuccessful: unread.length === 0, toolExecutionNotifications: unread },
  ];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', invocations, results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/**
 * @param {string} file
 * @param {import('packed-weights').Finding} finding
 */
function resultOf(file, { rule, severity, message, offset, length, tensor, o, b, count }) {
  const region =
    offset === undefined ? {} : { region: { byteOffset: offset, byteLength: length ?? 1 } };
  const physicalLocation = { artifactLocation: { uri: uriOf(file) }, ...region };
  const logicalLocations =
    tensor === undefined ? {} : { logicalLocations: [{ name: tensor, kind: 'tensor' }] };
  return {
    ruleId: rule,
    level: levels[severity],
    message: { text: message },
    locations: [{ physicalLocation, ...logicalLocations }],
    occurrenceCount: count,
    properties: { ...(o === undefined ? {} : { o }), ...(b === undefined ? {} : { b }) },
  };
}

/**
 * @param {string} file
 * @param {import('packed-weights').PackedError} error
 */
function notificationOf(file, { code, message }) {
  const physicalLocation = { artifactLocation: { uri: uriOf(file) } };
  return {
    descriptor: { id: code },
    level: 'error',
    message: { text: message },
    locations: [{ physicalLocation }],
  };
}

/** @param {string} file */
function uriOf(file) {
  return /^\w+:\/\//.test(file) || !file.startsWith('/')
    ? encodeURI(file)
    : pathToFileURL(file).href;
}
