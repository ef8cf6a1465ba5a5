import { placeOf } from './place.js';

/**
 * TAP 13: a line for each file, its findings, or why it could not be read, as comments.
 * @type {import('./place.js').Reporter}
 */
export function tap(checked) {
  const oneLine = (/** @type {string} */ text) =>
    text.replace(/\s*\n\s*/g, ' ').replace(/#/g, '\\#');
  const lines = checked.flatMap(({ file, report, failed, error }, i) => [
    `${failed ? 'not ok' : 'ok'} ${i + 1} - ${oneLine(file)}`,
    ...(error ? [`# error: ${oneLine(error.message)} [${error.code}]`] : []),
    ...report.findings.map(
      (finding) =>
        `# ${finding.severity}: ${oneLine(`${placeOf(finding)}: ${finding.message}`)} [${finding.rule}]`,
    ),
  ]);
  return `TAP version 13\n1..${checked.length}\n${lines.map((line) => `${line}\n`).join('')}`;
}
