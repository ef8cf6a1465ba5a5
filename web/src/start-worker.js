import workerUrl from './worker/main.js?worker&url';

const address = new URL(workerUrl, location.href);

/** Its file, which is named by its content. */
export const workerFile = address.pathname.split('/').at(-1);

/**
 * Starts a worker under the page's Content-Security-Policy, on a host that sends no headers too: one from a blob
 * address inherits it. Some browsers give such a worker nothing of what is kept for a visit without a network, so
 * where the service worker keeps this file, it serves it with the policy. The name carries the page's ?isa=, for tests.
 */
export function startWorker() {
  const name = new URLSearchParams(location.search).get('isa') ?? 'auto';
  return new Worker(isKept() ? new URL(`guarded-${workerFile}`, address) : fromBlob(), {
    type: 'module',
    name,
  });
}

function isKept() {
  const script = navigator.serviceWorker?.controller?.scriptURL;
  return script !== undefined && new URL(script).searchParams.get('worker') === workerFile;
}

function fromBlob() {
  // A static import: messages wait until the module has run.
  const text = `import ${JSON.stringify(address.href)};`;
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}
