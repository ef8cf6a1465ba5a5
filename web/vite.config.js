import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { offlinePlugin } from './offline-plugin.js';
import { sampleHeadersPlugin } from './sample-headers.js';

const rolldownOptions = {
  // The package reads files with it in Node; no browser gets there.
  external: ['node:fs/promises'],
};

/** The page's own script is fetched from the beginning, and run when the HTML is on screen. */
const preloadMain = {
  name: 'preload-main',
  transformIndexHtml(_html, { bundle }) {
    const chunks = Object.values(bundle ?? {});
    const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/main.js'));
    if (!main) return [];
    const attrs = { rel: 'modulepreload', href: `./${main.fileName}` };
    return [{ tag: 'link', attrs, injectTo: 'head' }];
  },
};

export default defineConfig({
  plugins: [preloadMain, offlinePlugin],
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative addresses: the same files work under any sub-path of any host.
  base: './',
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // A module inlined as data: would need connect-src data: in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions,
  },
  worker: { format: 'es', rolldownOptions, plugins: () => [sampleHeadersPlugin()] },
});
