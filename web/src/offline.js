/** So that the page opens again without a network: once it shows something, its files are kept by a service worker. */
import { rest, store } from './page.js';
import { workerFile } from './start-worker.js';

export function keepOnceSeen() {
  const stop = store.subscribe(({ tools, modules, block }) => {
    if (!tools || !block) return;
    stop();
    void rest().then(() => keep(modules));
  });
}

/** @param {string[]} modules of WebAssembly that the page has fetched */
async function keep(modules) {
  const { serviceWorker } = navigator;
  // With ?open a program of this machine serves the page, for as long as it runs.
  const passing = new URLSearchParams(location.search).has('open');
  if (!serviceWorker || !location.protocol.startsWith('http') || passing) return;
  const script = new URL('service-worker.js', document.baseURI);
  script.search = String(new URLSearchParams({ worker: workerFile, modules: modules.join(' ') }));
  try {
    const { active, waiting, installing } = await serviceWorker.register(script, {
      updateViaCache: 'none',
    });
    const worker = installing ?? waiting ?? active;
    const ready = () => ['installed', 'activating', 'activated'].includes(worker?.state ?? '');
    if (!ready())
      await new Promise((resolve) =>
        worker?.addEventListener('statechange', resolve, { once: true }),
      );
    store.set({ offline: ready() });
  } catch {
    // A browser or host that allows none: everything else works without.
    store.set({ offline: false });
  }
}
