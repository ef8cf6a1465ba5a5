/** @type {import('./place.js').Reporter} */
export function json(checked) {
  const files = checked.map(({ files, report, failed }) => ({ files, failed, ...report }));
  return `${JSON.stringify({ schemaVersion: 1, files }, null, 2)}\n`;
}
