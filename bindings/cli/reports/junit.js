import { escaped, placeOf } from './place.js';

const xml = (/** @type {string} */ text) =>
  // Control characters have no place in XML at all.
  escaped(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd'), {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  });

/**
 * JUnit XML: a test case for each file, which fails as the file does, or has an error when it cannot be read.
 * @type {import('./place.js').Reporter}
 */
export function junit(checked) {
  const cases = checked.map(({ file, report, failed, error }) => {
    const lines = report.findings.map(
      (finding) => `${finding.severity}: ${placeOf(finding)}: ${finding.message} [${finding.rule}]`,
    );
    const summary = lines[0] ?? 'nothing was checked';
    const body = error
      ? `\n    <error type="${xml(error.code)}" message="${xml(error.message)}">${xml(lines.join('\n'))}</error>\n  `
      : failed
        ? `\n    <failure message="${xml(summary)}">${xml(lines.join('\n'))}</failure>\n  `
        : `\n    <system-out>${xml(lines.join('\n'))}</system-out>\n  `;
    return `  <testcase classname="gguf" name="${xml(file)}">${body}</testcase>\n`;
  });
  const errors = checked.filter(({ error }) => error).length;
  const failures = checked.filter(({ failed, error }) => failed && !error).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="packed-weights check" tests="${checked.length}" failures="${failures}" errors="${errors}">\n${cases.join('')}</testsuite>\n`;
}
