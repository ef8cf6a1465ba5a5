import workerUrl from './worker/main.js?worker&url';

/**
 * Starts a worker from a blob address: only such a worker inherits the page's Content-Security-Policy on a
 * host that sends no headers. Its name carries the page's ?isa=, for tests.
 */
export function startWorker() {
  const isa = new URLSearchParams(location.search).get('isa') ?? 'auto';
  // A static import: messages wait until the module has run.
  const text = `import ${JSON.stringify(new URL(workerUrl, location.href).href)};`;
  const blob = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  return new Worker(blob, { type: 'module', name: isa });
}
