// Holds the floors: who may include whom, and what may not stand in the tree.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

// Lower floors first. Folders of one floor are siblings and never include each other.
const floors = [
  ['base'],
  ['layout'],
  ['encoding'],
  ['tensor', 'kernels'],
  ['weights', 'gguf', 'dispatch'],
];
const floorOf = (folder) => floors.findIndex((floor) => floor.includes(folder));
const mayInclude = (from, to) =>
  from === to ||
  // dispatch is the one place where values and arithmetic meet.
  (to === 'kernels' ? from === 'dispatch' : floorOf(to) < floorOf(from));

const skipped = new Set(['node_modules', 'dist', 'build', 'golden', 'cases']);
function filesIn(folder, pattern) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(name, pattern) : pattern.test(entry.name) ? [name] : [];
  });
}
const read = (file) => readFileSync(join(root, file), 'utf8');

const core = filesIn('src', /\.(h|cpp|inc)$/);
const native = filesIn('native-tests', /\.(h|cpp)$/);
const embind = filesIn('bindings/embind', /\.(h|cpp)$/);
const scripts = ['bindings', 'web', 'js-tests', 'examples', 'scripts'].flatMap((folder) =>
  filesIn(folder, /\.(js|ts|mjs)$/),
);

function* includesOf(file) {
  for (const [, quoted] of read(file).matchAll(/^\s*#\s*include\s+"([^"]+)"/gm)) yield quoted;
}
function* importsOf(file) {
  const text = read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  for (const [, from] of text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'/g))
    yield from;
  for (const [, from] of text.matchAll(/(?:^|\n)\s*import\s*'([^']+)'/g)) yield from;
  for (const [, from] of text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)) yield from;
}

test('floors: a file of src includes only its own folder and lower floors', () => {
  assert.ok(core.length > 40, `only ${core.length} files found`);
  for (const file of core) {
    const folder = file.split('/')[1];
    if (file === 'src/packed.h') continue;
    assert.notEqual(floorOf(folder), -1, `${file} is on no floor`);
    for (const include of includesOf(file)) {
      assert.ok(
        existsSync(join(root, 'src', include)),
        `${file} includes ${include}, which is not in src`,
      );
      const to = include.split('/')[0];
      assert.ok(
        mayInclude(folder, to),
        `${file} includes ${include}: ${to} is not below ${folder}`,
      );
    }
  }
});

test('floors: no include goes up through ".."', () => {
  for (const file of [...core, ...native, ...embind]) {
    for (const include of includesOf(file)) {
      assert.ok(!include.includes('..'), `${file} includes ${include}`);
    }
  }
});

test('floors: embind includes the core and its own folder only', () => {
  const own = new Set(embind.map((file) => file.split('/').at(-1)));
  assert.ok(embind.length > 3);
  for (const file of embind) {
    for (const include of includesOf(file)) {
      assert.ok(
        own.has(include) || existsSync(join(root, 'src', include)),
        `${file} includes ${include}`,
      );
    }
  }
});

test('floors: the facade imports itself and #core; what is above it imports the package by its name', () => {
  for (const file of scripts) {
    for (const from of importsOf(file)) {
      const target = from.startsWith('.') ? normalize(join(dirname(file), from)) : from;
      const where = `${file} imports ${from}`;
      if (file.startsWith('bindings/js/')) {
        const allowed = target.startsWith('bindings/js/') || /^#(core|[\w.]+\.wasm)$/.test(from);
        assert.ok(allowed, `${where}: the facade stands on the module alone`);
      } else if (/^(bindings\/(bench|cli|testing)|web|examples)\//.test(file)) {
        assert.ok(
          !/^(src|bindings\/(js|embind))\//.test(target) && from !== '#core',
          `${where}: use 'packed-weights'`,
        );
      }
    }
  }
});

test('floors: includes and imports form no cycle', () => {
  const graph = new Map();
  for (const file of core) {
    graph.set(
      file,
      [...includesOf(file)].map((include) => `src/${include}`).filter((to) => to !== file),
    );
  }
  const js = new Set(scripts);
  for (const file of scripts) {
    const targets = [...importsOf(file)].filter((from) => from.startsWith('.'));
    graph.set(
      file,
      targets.map((from) => normalize(join(dirname(file), from))).filter((to) => js.has(to)),
    );
  }
  const state = new Map();
  const visit = (file, path) => {
    if (state.get(file) === 'done') return;
    assert.ok(state.get(file) !== 'open', `a cycle: ${[...path, file].join(' -> ')}`);
    state.set(file, 'open');
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file, []);
});

test('relaxed SIMD: only src/kernels, which is compiled for each module, knows of it', () => {
  const knows = /__wasm_relaxed_simd__|PACKED_RELAXED_SIMD/;
  const inside = core.filter((file) => file.startsWith('src/kernels/'));
  assert.ok(inside.some((file) => knows.test(read(file))));
  for (const file of [...core, ...embind]) {
    if (inside.includes(file)) continue;
    // With all that it includes: an inline function must be the same function in every object file.
    const seen = new Set([file]);
    for (const each of seen) {
      assert.doesNotMatch(read(each), knows, `${file} sees ${each}`);
      for (const include of includesOf(each)) {
        if (existsSync(join(root, 'src', include))) seen.add(`src/${include}`);
      }
    }
  }
});

test('files: none is longer than 400 lines, tables apart', () => {
  const styles = filesIn('web', /\.css$/);
  for (const file of [...core, ...native, ...embind, ...scripts, ...styles]) {
    if (file.endsWith('.inc')) continue;
    const lines = read(file).split('\n').length;
    assert.ok(lines <= 401, `${file} has ${lines} lines: it is two files`);
  }
});

test('files: C++ names are snake_case, JS names kebab-case', () => {
  for (const file of [...core, ...native, ...embind]) {
    assert.match(file.split('/').at(-1), /^[a-z0-9_]+\.(h|cpp|inc)$/, file);
  }
  for (const file of scripts) {
    assert.match(
      file.split('/').at(-1),
      /^[a-z0-9-]+(\.(test|browser\.test|config|d))*\.(js|ts|mjs)$/,
      file,
    );
  }
});

test('names: nothing is called data, info, util, manager or helper', () => {
  for (const file of [...core, ...embind, ...scripts]) {
    const name = file
      .split('/')
      .at(-1)
      .replace(/\.\w+$/, '');
    assert.doesNotMatch(name, /^(data|info)$|(^|[-_])(utils?|manager|helpers?)$/, file);
  }
});

test('words: "transpose" never names a relayout, and nothing is left to do', () => {
  for (const file of [...core, ...embind, ...scripts]) {
    if (file === 'js-tests/architecture.test.js') continue;
    const text = read(file);
    assert.doesNotMatch(text, /\b(TODO|FIXME|XXX)\b/, file);
    assert.doesNotMatch(text, /transpose(Blocks|ForMatmul|ToKernel|ToCanonical|Packed)/i, file);
  }
});

test('orders: the two formulas stand in one file', () => {
  const formula =
    /\b(o|row)\s*\*\s*(grid\.)?blocksPerRow\s*\+\s*b\b|\bb\s*\*\s*(grid\.)?out\s*\+\s*o\b/;
  const code = (file) => read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const holders = [...core, ...embind, ...filesIn('bindings/js', /\.js$/)].filter((file) =>
    formula.test(code(file)),
  );
  assert.deepEqual(holders, ['src/layout/block_order.h']);
});

test('core: it neither throws, aborts nor prints', () => {
  for (const file of core) {
    const code = read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$|"(?:[^"\\]|\\.)*"/gm, '');
    assert.doesNotMatch(
      code,
      /\b(throw|abort|exit|printf|puts)\s*\(|\bthrow\b|std::(cout|cerr)|#include\s*<iostream>/,
      file,
    );
  }
});

test('top level: only what it is fixed to be', () => {
  const allowed = new Set(
    'CMakeLists.txt package.json package-lock.json tsconfig.json CMakePresets.json src bindings web js-tests native-tests examples README.md CONTRIBUTING.md CHANGELOG.md LICENSE scripts'.split(
      ' ',
    ),
  );
  const ignored = new Set(['node_modules', 'dist', 'build']);
  const strange = readdirSync(root).filter(
    (name) => !allowed.has(name) && !ignored.has(name) && !name.startsWith('.'),
  );
  assert.deepEqual(strange, []);
});
