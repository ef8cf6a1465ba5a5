// `npm start`: builds the package and the demo page and serves it on this machine.
// `npm start -- --port 8080` chooses the port.
import { join } from 'node:path';
import { build } from './build.js';
import { main, root, say } from './terminal.js';
import { buildWeb } from './web.js';

await main(async (args) => {
  await build();
  await buildWeb();
  const { preview } = await import('vite');
  const at = args.indexOf('--port');
  const port = at >= 0 ? Number(args[at + 1]) : 4173;
  const server = await preview({
    root: join(root, 'web'),
    build: { outDir: join(root, 'dist/web') },
    preview: { port, host: '127.0.0.1' },
    logLevel: 'warn',
  });
  say(`Serving ${server.resolvedUrls?.local[0] ?? `http://127.0.0.1:${port}/`} (Ctrl-C ends it)`);
});
