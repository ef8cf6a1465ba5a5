// Assertions for any test runner: Node's, vitest, jest. They throw a PackedError whose message is meant to be
// read in a CI log: what is wrong, a picture of the grid, which mistake it was, and the call that mends it.
import { internals, load, PackedError, View } from 'packed-weights';

export { PackedError };

const pw = await load();

/** Bytes that everybody's tests can run against: canonical, kernelOrder, decodable. */
export const fixtures = pw.fixtures;

/**
 * @typedef {import('../js/weights.js').DisagreementOptions} DisagreementOptions
 * @typedef {import('../js/weights.js').Disagreement} Disagreement
 * @typedef {import('../js/weights.js').Diagnosis} Diagnosis
 */

/**
 * Passes when every block of `bytes` stands where its order says; throws DISAGREES otherwise, with
 * `disagreement` and `diagnosis` on the error. Without `reference` the bytes are held against the placement
 * fixture (4 x 3 blocks) or, with out 5 and blocksPerRow 3, against the decodable one.
 * @param {Uint8Array | ArrayBuffer | import('packed-weights').View} bytes
 * @param {string} encoding
 * @param {DisagreementOptions} [options]
 */
export function assertAgrees(bytes, encoding, options) {
  const disagreement = pw.disagreement(bytes, encoding, options);
  if (disagreement === null) return;
  const diagnosis = pw.diagnose(bytes, encoding, options);
  const claimed = options?.kernelOrder === true ? 'INPUT_BLOCK_MAJOR' : 'ROW_MAJOR';
  const order = bytes instanceof View ? bytes.order : claimed;
  const error = new PackedError('DISAGREES', explain(disagreement, diagnosis), {
    expected: `every block in its ${order} place`,
    actual: diagnosis.kind,
  });
  Error.captureStackTrace?.(error, assertAgrees);
  throw Object.assign(error, { disagreement, diagnosis });
}

/**
 * @param {Disagreement} disagreement
 * @param {Diagnosis} diagnosis
 */
function explain({ message }, diagnosis) {
  const picture = diagnosis.picture.trimEnd().replace(/^/gm, '    ');
  return [
    message,
    '',
    picture,
    '',
    `  diagnosis: ${diagnosis.kind}. ${diagnosis.message}`,
    ...(diagnosis.fix ? [`  to mend it: ${diagnosis.fix}`] : []),
  ].join('\n');
}

/**
 * Passes when the file has no finding at or above `failOn`; throws MALFORMED otherwise, with `report` on the
 * error. A file with nothing in it to check fails too, unless `allowEmpty`.
 * @param {Parameters<typeof pw.openGguf>[0]} source
 * @param {{ profile?: 'spec' | 'llama', tensorData?: boolean, failOn?: 'error' | 'warning', allowEmpty?: boolean,
 *   signal?: AbortSignal }} [options]
 */
export async function assertValidGguf(source, options) {
  const {
    failOn = 'error',
    allowEmpty = false,
    ...rest
  } = internals.requireOptions(options, {
    profile: '',
    tensorData: 'boolean',
    failOn: '',
    allowEmpty: 'boolean',
    signal: 'object',
  });
  internals.requireOneOf('failOn', failOn, ['error', 'warning']);
  const report = await /** @type {any} */ (pw).validate(source, rest);
  const counted = failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const findings = report.findings.filter((/** @type {any} */ { severity }) =>
    counted.includes(severity),
  );
  const empty = report.tensorsChecked === 0 && !allowEmpty;
  if (findings.length === 0 && !empty) return;
  const lines = findings.slice(0, 20).map(describeFinding);
  if (findings.length > 20) lines.push(`  and ${findings.length - 20} more`);
  if (empty) lines.push('  nothing was checked: the file holds no tensor');
  const error = new PackedError('MALFORMED', ['Not a valid GGUF file:', ...lines].join('\n'), {
    offset: findings[0]?.offset,
    tensor: findings[0]?.tensor,
  });
  Error.captureStackTrace?.(error, assertValidGguf);
  throw Object.assign(error, { report });
}

/** @param {any} finding */
function describeFinding({ severity, rule, message, tensor, offset }) {
  const where = [tensor && `tensor ${tensor}`, Number.isFinite(offset) && `byte ${offset}`];
  const place = where.filter(Boolean).join(', ');
  return `  ${severity} ${rule}${place ? ` (${place})` : ''}: ${message}`;
}
