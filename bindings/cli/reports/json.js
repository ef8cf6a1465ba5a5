/** @type {import('./place.js').Reporter} */
export function json(checked) {
  const files = checked.map(({ files, report, failed, error }) => ({
    files,
    failed,
    ...(error && { error: { code: error.code, message: error.message } }),
    ...report,
  }));
  return `${JSON.stringify({ schemaVersion: 1, files }, null, 2)}\n`;
}
