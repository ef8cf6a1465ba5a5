import { internals } from 'packed-weights';
import { measure, listOf, oneOf, orNull, requireCount, requireParts, text } from './arguments.js';
import { tolerance } from './goals.js';
import { activations, ops, orders, references } from './rows.js';

const { requireObject } = internals;

/** @typedef {import('./rows.js').BenchRow} BenchRow */

const calibrationParts = { dotCeiling: measure, streamRead: measure, copy: measure };

/** @type {Record<keyof BenchRow, import('./arguments.js').Check>} */
const rowParts = {
  op: oneOf(ops),
  encoding: text,
  order: orNull(oneOf(orders)),
  activation: orNull(oneOf(activations)),
  isa: text,
  out: requireCount,
  inputDim: requireCount,
  n: orNull(requireCount),
  milliseconds: measure,
  gops: orNull(measure),
  gbps: measure,
  of: oneOf(references),
  ceiling: measure,
  share: measure,
  goal: orNull(measure),
};

/**
 * What of a row is looked at.
 * @template {keyof BenchRow} Part
 * @param {Pick<BenchRow, Part>} row
 * @param {readonly Part[]} parts
 * @param {string} [name]
 */
function rowWith(row, parts, name = 'row') {
  requireObject(name, row);
  for (const part of parts) rowParts[part](`${name}.${part}`, row[part]);
  return row;
}

/**
 * @param {import('./calibration.js').Calibration | undefined} calibration
 * @param {BenchRow[]} results
 */
function requireResults(calibration, results) {
  if (calibration !== undefined) requireParts('calibration', calibration, calibrationParts);
  const parts = /** @type {(keyof BenchRow)[]} */ (Object.keys(rowParts));
  listOf((name, row) => void rowWith(/** @type {BenchRow} */ (row), parts, name))(
    'results',
    results,
  );
}

/**
 * The document of `packed-weights bench --json`.
 * @param {import('./calibration.js').Calibration | undefined} calibration of the widest instruction set that ran
 * @param {BenchRow[]} results
 */
export function documentOf(calibration, results) {
  requireResults(calibration, results);
  const node = globalThis.process?.versions?.node;
  const host = node === undefined ? { userAgent: navigator.userAgent } : { node: `v${node}` };
  return { schemaVersion: 1, ...host, calibration, results };
}

/**
 * @param {Pick<BenchRow, 'share' | 'goal'>} row
 * @returns {'reached' | 'close' | 'missed' | null} close: at least four fifths of the goal; null without a goal
 */
export function verdictOf(row) {
  const { goal, share } = rowWith(row, ['goal', 'share']);
  if (goal === null) return null;
  return share >= goal ? 'reached' : share >= tolerance * goal ? 'close' : 'missed';
}

/**
 * @param {Pick<BenchRow, 'op' | 'order' | 'activation' | 'n'>} row
 * @returns {string} what was measured: 'int8, kernel order, n = 32'
 */
export function measured(row) {
  const { op, order, activation, n } = rowWith(row, ['op', 'order', 'activation', 'n']);
  const inOrder = order === null ? '' : order === 'ROW_MAJOR' ? 'row order' : 'kernel order';
  if (activation !== null) return `${activation}, ${inOrder}, n = ${n}`;
  return op === 'disagreement' ? inOrder : '';
}

/** @param {Pick<BenchRow, 'gops' | 'gbps'>} row @returns {string} '45.1 GOPS', '12.34 GB/s' */
export function speedOf(row) {
  const { gops, gbps } = rowWith(row, ['gops', 'gbps']);
  if (gops !== null) return `${gops.toFixed(1)} GOPS`;
  return gbps >= 1 ? `${gbps.toFixed(2)} GB/s` : `${(1000 * gbps).toFixed(0)} MB/s`;
}

/**
 * @param {import('./calibration.js').Calibration | undefined} calibration
 * @param {BenchRow[]} results
 */
export function markdownOf(calibration, results) {
  const { node, userAgent } = /** @type {any} */ (documentOf(calibration, results));
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)} %`;
  const lines = results.map((row) =>
    [
      '',
      row.op,
      row.encoding,
      measured(row),
      `${row.out} x ${row.inputDim}`,
      row.isa,
      speedOf(row),
      row.goal === null && row.of === 'fixed' ? '' : `${percent(row.share)} of ${row.of}`,
      row.goal === null ? '' : percent(row.goal),
      verdictOf(row) ?? '',
      '',
    ]
      .join(' | ')
      .trim(),
  );
  const ceilings = calibration
    ? `dotCeiling ${calibration.dotCeiling.toFixed(0)} GOPS, streamRead ${calibration.streamRead.toFixed(1)} GB/s, copy ${calibration.copy.toFixed(1)} GB/s`
    : '';
  return [
    node ? `Node ${node}` : userAgent,
    '',
    ceilings,
    '',
    '| op | encoding | what | out x in | isa | speed | share | goal | |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}
