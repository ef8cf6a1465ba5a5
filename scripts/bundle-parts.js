// The main entry in parts, as its modules are: index.js, and tools.js and files.js that it imports later. A
// bundler's own splitting would put what they share into further files, each another round trip.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, root } from './terminal.js';

const facade = join(root, 'bindings/js');

/** The files of dist/ that index.js imports when it needs them. */
export const laterParts = ['tools.js', 'files.js'];

/** Bundles them into dist/ with `bundle`, esbuild's build. */
export async function bundleParts(bundle, library) {
  const options = { ...library, metafile: true };
  const place = (name) => ({
    entryPoints: [join(facade, name)],
    outfile: join(root, 'dist', name),
  });
  const main = await bundle({ ...options, ...place('index.js'), plugins: [leavingParts] });
  const bundled = modulesOf(main);
  for (const name of laterParts) {
    const part = await bundle({ ...options, ...place(name), plugins: [sharing] });
    const twice = modulesOf(part).filter((module) => bundled.includes(module));
    if (twice.length > 0) {
      throw new Failure(
        `dist/${name} has a second copy of ${twice}: list it in bindings/js/internals.js, or hand it on in the context.`,
      );
    }
    bundled.push(...modulesOf(part));
  }
}

const modulesOf = ({ metafile }) =>
  Object.keys(metafile.inputs).filter((path) => !path.includes(':'));

const leavingParts = {
  name: 'leaving-parts',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === 'dynamic-import' && laterParts.includes(basename(path))
        ? { path, external: true }
        : null,
    );
  },
};

// What internals.js lists is taken from the main entry.
const sharing = {
  name: 'sharing',
  setup({ onResolve, onLoad }) {
    const list = readFileSync(join(facade, 'internals.js'), 'utf8');
    const shared = [...list.matchAll(/from '\.\/(.*)';/g)].map(([, name]) => join(facade, name));
    onResolve({ filter: /^\.\/index\.js$/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^\./ }, ({ path, importer }) => {
      const wanted = join(dirname(importer), path);
      return shared.includes(wanted) ? { path: wanted, namespace: 'internals' } : null;
    });
    onLoad({ filter: /./, namespace: 'internals' }, ({ path }) => {
      const declared = readFileSync(path, 'utf8').matchAll(
        /^export (?:async )?(?:function|class|const) (\w+)/gm,
      );
      const lines = [...declared].map(([, name]) => `export const ${name} = internals.${name};`);
      const contents = ["import { internals } from './index.js';", ...lines].join('\n');
      return { contents, resolveDir: facade };
    });
  },
};
