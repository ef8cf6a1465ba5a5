import { escaped, placeOf } from './place.js';

const commands = { error: 'error', warning: 'warning', info: 'notice' };
const inMessage = { '%': '%25', '\r': '%0D', '\n': '%0A' };
const inProperty = { ...inMessage, ':': '%3A', ',': '%2C' };

/**
 * Workflow commands that GitHub Actions shows as annotations of the file.
 * @type {import('./place.js').Reporter}
 */
export function github(checked) {
  const lines = checked.flatMap(({ file, report, failed, error }) => {
    const annotations = report.findings.map((finding) => {
      const properties = `file=${escaped(finding.file ?? file, inProperty)},title=${escaped(finding.rule, inProperty)}`;
      const place = placeOf(finding);
      const message = `${place === '' ? '' : `${place}: `}${finding.message}`;
      return `::${commands[finding.severity]} ${properties}::${escaped(message, inMessage)}\n`;
    });
    if (error) {
      const properties = `file=${escaped(file, inProperty)},title=${error.code}`;
      annotations.push(`::error ${properties}::${escaped(error.message, inMessage)}\n`);
    }
    const silent = failed && annotations.length === 0;
    return silent
      ? [
          `::error file=${escaped(file, inProperty)}::nothing was checked: the file holds no tensors\n`,
        ]
      : annotations;
  });
  return lines.join('');
}
