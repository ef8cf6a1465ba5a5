/**
 * Keeps the files of one build, so that the page opens again without a network. The page itself is asked for anew
 * where there is one. Files are named by their content, so none of another build is ever taken for one of this.
 *
 * The build puts `BUILD` before this: its digest and the paths of its files.
 */
/* global BUILD */

const page = self.registration.scope;
const asked = new URL(self.location.href).searchParams;
/** Modules of WebAssembly that this browser took: it needs no others. */
const modules = asked.get('modules')?.split(' ') ?? [];
/** The page's own worker. What `guarded-` names starts it with the page's policy, and comes only from here. */
const worker = `assets/${asked.get('worker')}`;
const guarded = new URL(worker.replace('assets/', 'assets/guarded-'), page).href;
const POLICY = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/;
const wanted = BUILD.files.filter((path) => {
  const module = /(\w+)[^/]*\.wasm$/.exec(path)?.[1];
  return !module || modules.includes(module);
});
const addresses = new Set(wanted.map((path) => new URL(path, page).href));

/** Pages under other paths of this host have their own. */
const ours = `packed-weights ${page} `;
const kept = `${ours}${BUILD.digest} ${modules.join(' ')}`;

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(dropOthers()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const [address] = request.url.split(/[?#]/);
  if (request.mode === 'navigate' && (address === page || address === `${page}index.html`)) {
    event.respondWith(fetch(request).catch(() => caches.match(page, { cacheName: kept })));
  } else if (address === guarded) {
    event.respondWith(starter());
  } else if (addresses.has(address)) {
    event.respondWith(answer(address));
  }
});

/** All or nothing: a worker that lacks a file is not installed, and the next visit tries again. */
async function keep() {
  const html = await fetched(page, 'reload');
  const named = (await html.clone().text()).match(/assets\/[\w.-]+/g) ?? [];
  const foreign = [...named, worker].find((path) => !BUILD.files.includes(path));
  if (foreign)
    throw new Error(
      `The page has been built anew meanwhile: ${foreign} is not of ${BUILD.digest}.`,
    );
  const cache = await caches.open(kept);
  await cache.put(page, html);
  // The page has just fetched most of them.
  await Promise.all(
    [...addresses].map(async (each) => cache.put(each, await fetched(each, 'force-cache'))),
  );
}

async function fetched(address, cache) {
  const response = await fetch(address, { cache });
  if (!response.ok || response.redirected)
    throw new Error(`${address} was answered by ${response.status}.`);
  return response;
}

/** Only once no page of an older build is open: it may still ask for its files. */
async function dropOthers() {
  const names = await caches.keys();
  await Promise.all(
    names
      .filter((name) => name.startsWith(ours) && name !== kept)
      .map((name) => caches.delete(name)),
  );
}

async function answer(address) {
  return (await caches.match(address, { cacheName: kept })) ?? fetch(address);
}

/** What starts the page's worker, under the page's policies. */
async function starter() {
  const html = await answer(page);
  const [, policy] = POLICY.exec(await html.text()) ?? [];
  if (!policy) return Response.error();
  const headers = new Headers({
    'content-type': 'text/javascript',
    'content-security-policy': policy,
  });
  const isolation = html.headers.get('cross-origin-embedder-policy');
  if (isolation) headers.set('cross-origin-embedder-policy', isolation);
  return new Response(`import ${JSON.stringify(new URL(worker, page).href)};`, { headers });
}
