// Bundles bindings/ into dist/ with esbuild: one file per entry of package.json's "exports".
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundleParts, laterParts } from './bundle-parts.js';
import { provenance } from './provenance.js';
import { breakLines } from './short-lines.js';
import { filesIn, whenChanged } from './stamp.js';
import { Failure, root, run } from './terminal.js';
import { wasmFiles } from './wasm.js';

/** Everything in dist/, types included. Nothing happens when no input changed. */
export async function buildDist() {
  const scripts = ['bundle', 'bundle-parts', 'short-lines'].map((name) => `scripts/${name}.js`);
  const inputs = ['bindings', 'build/core', 'tsconfig.json', 'package.json', ...scripts];
  const names = ['index.js', ...laterParts, 'bench.js', ...wasmFiles, 'types'];
  const outputs = names.map((name) => `dist/${name}`);
  const origin = JSON.stringify(provenance());
  return whenChanged('dist', { inputs, outputs, also: origin }, () => build(origin));
}

async function build(origin) {
  const { build: bundle } = await import('esbuild');
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  mkdirSync(join(root, 'dist'));
  for (const name of wasmFiles) {
    copyFileSync(join(root, 'build/core', name), join(root, 'dist', name));
  }
  const common = { bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning' };
  const library = { ...common, minify: true, platform: 'neutral', external: ['node:*'] };
  library.define = { PACKED_BUILD: origin };
  const node = { ...common, platform: 'node', plugins: [onOtherEntries('..')] };
  await bundleParts(bundle, library);
  const beside = { ...library, plugins: [onOtherEntries('.')] };
  await bundle({ ...beside, ...inAndOut('bench/index.js', 'bench.js') });
  await bundle({
    ...library,
    ...inAndOut('js/inline.js', 'inline.js'),
    // Bundlers that cannot place files get the bytes inside, as base64.
    loader: { '.wasm': 'binary' },
  });
  await bundle({ ...node, ...inAndOut('testing/index.js', 'testing/index.js') });
  await bundle({ ...node, ...inAndOut('cli/main.js', 'cli/main.js') });
  chmodSync(join(root, 'dist/cli/main.js'), 0o755);
  cpSync(join(root, 'bindings/cli/schemas'), join(root, 'dist/schemas'), { recursive: true });
  for (const name of ['index.js', ...laterParts, 'bench.js', 'inline.js']) {
    hideNodeImports(name);
    await breakLines(join(root, 'dist', name));
  }
  checkMainEntry();
  await emitTypes();
}

function inAndOut(from, to) {
  return { entryPoints: [join(root, 'bindings', from)], outfile: join(root, 'dist', to) };
}

// The bench, the command line and the matchers use the package as a user does: they share the one copy of
// its main entry, so that there is one PackedError to compare with.
function onOtherEntries(toDist) {
  return {
    name: 'on-other-entries',
    setup({ onResolve }) {
      onResolve({ filter: /^packed-weights\/bench$/ }, () => ({
        path: `${toDist}/bench.js`,
        external: true,
      }));
      onResolve({ filter: /^packed-weights$|\/js\/[\w-]+\.js$/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return null;
        const entry = join(root, 'bindings/js/index.js');
        const wanted = path === 'packed-weights' ? entry : join(dirname(importer), path);
        if (dirname(wanted) !== dirname(entry)) return null;
        if (wanted !== entry) {
          const text = `${relative(root, importer)} imports ${path}: take it from 'packed-weights'.`;
          return { errors: [{ text }] };
        }
        return { path: `${toDist}/index.js`, external: true };
      });
    },
  };
}

// webpack warns its user of an import whose name it cannot see. Minifying drops the comment that tells it not
// to look, so it is put in here.
function hideNodeImports(name) {
  const path = join(root, 'dist', name);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replaceAll('import(["node"', 'import(/*webpackIgnore:true*/["node"'));
}

function checkMainEntry() {
  const text = readFileSync(join(root, 'dist/index.js'), 'utf8');
  for (const name of wasmFiles) {
    if (text.includes(`new URL("./${name}",import.meta.url)`)) continue;
    throw new Failure(
      `dist/index.js must name ./${name} as new URL('./${name}', import.meta.url), or bundlers will not find it.`,
    );
  }
  if (/\b(from|import)\s*\(?\s*["'`]node:/.test(text)) {
    throw new Failure(
      'dist/index.js names a Node builtin in an import, where browsers or bundlers stumble over it: put the name together while running, or use process.getBuiltinModule.',
    );
  }
}

// Wrong types fail `npm run check`; here only their declarations are wanted.
async function emitTypes() {
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--noCheck'];
  const folders = ['--rootDir', 'bindings', '--outDir', 'dist/types'];
  await run(process.execPath, [tsc, '-p', 'tsconfig.json', ...options, ...folders]);
  for (const path of filesIn('bindings').filter((name) => name.endsWith('.d.ts'))) {
    const to = join(root, 'dist/types', relative('bindings', path));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(root, path), to);
  }
}

/** The TypeScript compiler's program, for Node to run. */
export const tsc = join(root, 'node_modules/typescript/bin/tsc');
