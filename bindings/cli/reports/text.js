import { printable } from '../table.js';
import { placeOf } from './place.js';

/** @type {import('./place.js').Reporter} */
export function text(checked, { quiet }) {
  return printable(checked.map((one) => linesOf(one, quiet).join('')).join(''));
}

/**
 * @param {import('../check.js').Checked} checked
 * @param {boolean} quiet
 */
function linesOf({ file, files, report, failed, error }, quiet) {
  const { findings, tensorsChecked, bytesChecked } = report;
  const lines = findings
    .filter(({ severity }) => !quiet || severity === 'error')
    .map((finding) => {
      const place = placeOf(finding);
      const times = finding.count > 1 ? ` (${finding.count} times)` : '';
      const where = `${finding.file ?? file}${place === '' ? '' : `: ${place}`}`;
      return `${finding.severity}: ${where}: ${finding.message}${times} [${finding.rule}]\n`;
    });
  // What cannot be read is said on stderr.
  if (error) return lines;
  const counted = (/** @type {number} */ count, /** @type {string} */ noun) =>
    `${count} ${noun}${count === 1 ? '' : 's'}`;
  const of = (/** @type {string} */ severity) =>
    counted(findings.filter((finding) => finding.severity === severity).length, severity);
  const nothing = tensorsChecked === 0 ? ' Nothing was checked: that is no success.' : '';
  const name = files.length === 1 ? file : `${file} and ${files.length - 1} more`;
  const summary = `${name}: ${failed ? 'FAILED' : 'ok'}, ${of('error')}, ${of('warning')}; ${counted(tensorsChecked, 'tensor')}, ${counted(bytesChecked, 'byte')} of tensor data checked.${nothing}\n`;
  return quiet && !failed ? [] : [...lines, summary];
}
