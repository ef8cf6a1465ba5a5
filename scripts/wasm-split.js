// Takes the linked module apart, so that what multiplies is fetched without what reads files and proves bytes.
// The parts share one memory; Binaryen's wasm-split does the cutting, the list below says where.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, capture, Failure } from './terminal.js';
import { moveData } from './wasm-data.js';

/**
 * The parts that are loaded after the first module: everything defined in these sources (of bindings/embind,
 * or of src where there is a folder) or named so, and what nothing else needs. A part may call the first module and the parts before it, which are loaded by then.
 */
export const parts = [
  // GEMVs of two and three columns stand beside those of one.
  {
    name: 'columns',
    sources: [],
    symbols: /^_ZN6packed(8gemvRowsI.*Li[23]EEE|15decodeCodebooksI)/,
  },
  {
    name: 'tools',
    sources: [
      ...[
        'blocks',
        'calibration',
        'explain',
        'gguf_write',
        'proof',
        'quantize',
        'rules',
        'ternary',
      ],
      ...['kernels/calibrate', 'kernels/ternary', 'dispatch/explain'],
      ...[
        'encoding/block_',
        'encoding/i2s',
        'encoding/quantize',
        'encoding/scale_search',
        'tensor/ternary_weight',
      ],
      ...['gguf/finding.cpp', 'gguf/writer', 'weights/(?!packed_weights)'],
    ],
    // Quantizers stand beside the decoders that everybody needs.
    symbols: /^_ZN6packed(10BlockCodecI.*E8quantizeE|16describeGgmlTypeEj)/,
  },
  { name: 'files', sources: ['gguf', 'load', 'validate', 'gguf/'] },
];

/**
 * Cuts `core`, which must name its functions as the linker does, into one file per part and `first`, in a folder
 * beside it. `folder` is where its sources were compiled. Gives { first, columns, tools, files }: paths.
 */
export async function splitWasm(emscripten, folder, core) {
  const run = (tool, ...args) => binaryen(emscripten, tool, args);
  const out = join(dirname(core), 'parts');
  mkdirSync(out, { recursive: true });
  const text = join(out, 'core.wat');
  await run('wasm-dis', core, '-o', text);
  writeFileSync(text, withoutTypeNames(readFileSync(text, 'utf8')));
  let rest = join(out, 'core.wasm');
  await run('wasm-opt', '-g', '--remove-unused-module-elements', text, '-o', rest);
  await run('wasm-dis', rest, '-o', text);
  const assigned = assign(readFileSync(text, 'utf8'), ownSymbols(emscripten, folder));
  const build = createHash('sha256').update(readFileSync(core)).digest();

  const paths = {};
  for (const { name } of [...parts].reverse()) {
    const list = join(out, `${name}.functions`);
    writeFileSync(list, assigned.get(name).join('\n'));
    const [without, split] = [join(out, `without-${name}.wasm`), join(out, `${name}.wasm`)];
    const namespaces = ['--import-namespace', 'first', '--export-prefix', `${name}.`];
    await run(
      'wasm-split',
      rest,
      ...['--split', '--no-placeholders', '-g', '--split-funcs', `@${list}`],
      ...[...namespaces, '-o1', without, '-o2', split],
    );
    rest = without;
    paths[name] = split;
  }
  paths.first = rest;
  await moveDataOf(paths, tablesOf(core.replace(/\.wasm$/, '.map')), run);
  for (const path of Object.values(paths)) {
    writeFileSync(path, withBuild(readFileSync(path), build));
  }
  return paths;
}

async function moveDataOf(paths, tables, run) {
  const files = [paths.first, ...parts.map(({ name }) => paths[name])];
  for (const path of files) await run('wasm-dis', path, '-o', `${path}.wat`);
  const [first, ...others] = files.map((path) => readFileSync(`${path}.wat`, 'utf8'));
  const moved = moveData(first, others, tables);
  const shortened = shortener();
  for (const [i, text] of [moved.first, ...moved.parts].map(shortened).entries()) {
    writeFileSync(`${files[i]}.wat`, text);
    // Without the names, which nothing needs any more.
    await run('wasm-as', `${files[i]}.wat`, '-o', files[i]);
    await run('wasm-opt', '-O3', files[i], '-o', files[i]);
  }
}

// The constants of a linker's map: `address offset size object:(.rodata.name)`, in hexadecimal.
function tablesOf(map) {
  const lines = readFileSync(map, 'utf8').matchAll(
    /^\s*([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\S+:\(\.rodata\.[^)]+\)$/gm,
  );
  return [...lines].map(([, address, size]) => {
    const start = parseInt(address, 16);
    return [start, start + parseInt(size, 16)];
  });
}

// Cutting exports functions under their full names, which nobody reads any more.
function shortener() {
  const short = new Map();
  const full = new RegExp(`"((?:${parts.map(({ name }) => name).join('|')})\\.[^"]+)"`, 'g');
  return (text) =>
    text.replace(full, (_, name) => {
      if (!short.has(name)) short.set(name, `_${short.size.toString(36)}`);
      return `"${short.get(name)}"`;
    });
}

// Embind keeps this export, and with it printf, for messages that bindings/embind/slim.js words otherwise.
function withoutTypeNames(text) {
  return text.replace(/^ \(export "__getTypeName".*\n/m, '');
}

// Which functions the sources of each part define. Inline functions are nobody's: they go where they are needed.
function ownSymbols(emscripten, folder) {
  const objects = readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.o'))
    .map((path) => join(folder, path));
  return parts.map(({ sources, symbols }) => {
    const places = sources.map((source) =>
      source.includes('/') ? new RegExp(`/src/${source}`) : new RegExp(`/bind_${source}\\.`),
    );
    const unused = places.find((place) => !objects.some((path) => place.test(path)));
    if (unused) throw new Failure(`scripts/wasm-split.js: no object file matches ${unused}.`);
    const mine = objects.filter((path) => places.some((place) => place.test(path)));
    const lines = mine.length
      ? capture(join(emscripten.folder, 'emnm'), ['--defined-only', ...mine])
      : '';
    if (lines === null)
      throw new Failure('emnm cannot read the object files: see scripts/wasm-split.js.');
    const own = new Set([...lines.matchAll(/^\S+ [tT] (\S+)$/gm)].map(([, symbol]) => symbol));
    // What registers bindings runs when the first module starts, through a pointer.
    const starts = (name) => name.includes('embind_init');
    return { has: (name) => (own.has(name) && !starts(name)) || (symbols?.test(name) ?? false) };
  });
}

/**
 * The first module keeps what runs when it starts, what it exports, and what is called from there; each part, in
 * turn, takes what its own functions call and is not taken yet. So no call leads to a part that is not loaded.
 */
function assign(text, owns) {
  const calls = new Map();
  for (const [, name, body] of text.matchAll(/^ \(func \$(\S+)([\s\S]*?)^ \)/gm)) {
    const called = [...body.matchAll(/\((?:call|return_call|ref\.func) \$([^\s()]+)/g)];
    calls.set(name, new Set(called.map(([, callee]) => callee)));
  }
  const taken = new Set();
  const take = (roots) => {
    const fresh = [];
    const open = [...roots];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (taken.has(name) || !calls.has(name)) continue;
      taken.add(name);
      fresh.push(name);
      open.push(...calls.get(name));
    }
    return fresh;
  };
  const exported = [...text.matchAll(/^ \(export "[^"]*" \(func \$([^\s()]+)/gm)];
  const table = [...text.matchAll(/^ \(elem [^\n]*/gm)].flatMap(([line]) =>
    [...line.matchAll(/\$([^\s()]+)/g)].map(([, name]) => name),
  );
  take(exported.map(([, name]) => name));
  take(table.filter((name) => !owns.some((own) => own.has(name))));
  return new Map(
    parts.map(({ name }, i) => [name, take([...calls.keys()].filter((f) => owns[i].has(f)))]),
  );
}

// The parts of different builds must not meet: each carries the digest of what it was cut from.
function withBuild(wasm, build) {
  const name = Buffer.from('packed-weights.build');
  const content = Buffer.concat([Buffer.from([name.length]), name, build]);
  return Buffer.concat([wasm, Buffer.from([0, content.length]), content]);
}

// What every engine with SIMD has; more, and newer forms of older instructions are written.
const features = [
  'mutable-globals',
  'sign-ext',
  'nontrapping-float-to-int',
  'bulk-memory',
  'reference-types',
  'simd',
  'relaxed-simd',
].map((feature) => `--enable-${feature}`);

async function binaryen({ folder }, tool, args) {
  const home = capture(join(folder, 'em-config'), ['BINARYEN_ROOT']);
  const { status, output } = await attempt(join(home, 'bin', tool), [
    '--mvp-features',
    ...features,
    ...args,
  ]);
  if (status !== 0) throw new Failure(`${tool} failed: ${output.slice(0, 400)}`);
}
