// The two WebAssembly modules, each in parts, and the one loader, in build/core: core.js, simd128.wasm,
// simd128.tools.wasm, and so on.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreset } from './cmake.js';
import { toolchain, toolchainFile } from './provenance.js';
import { whenChanged } from './stamp.js';
import { Failure, root, timed } from './terminal.js';
import { parts, splitWasm } from './wasm-split.js';

const variants = ['simd128', 'relaxed'];

/** The wasm files of the package, beside dist/index.js. */
export const wasmFiles = variants.flatMap((variant) => [
  `${variant}.wasm`,
  ...parts.map(({ name }) => `${variant}.${name}.wasm`),
]);

/** Builds what bindings/js imports as '#core'. Nothing happens when no source changed. */
export async function buildWasm(emscripten) {
  const inputs = [
    'src',
    'bindings/embind',
    'CMakeLists.txt',
    'CMakePresets.json',
    'scripts/wasm.js',
    'scripts/provenance.js',
    'scripts/wasm-split.js',
    'scripts/wasm-data.js',
  ];
  const outputs = ['core.js', ...wasmFiles];
  return whenChanged(
    'wasm',
    {
      inputs,
      outputs: [...outputs.map((name) => `build/core/${name}`), toolchainFile],
      also: emscripten.toolchainFile + emscripten.version,
    },
    () => build(emscripten),
  );
}

async function build(emscripten) {
  const core = join(root, 'build/core');
  mkdirSync(core, { recursive: true });
  const what = 'Compiling the two wasm modules (the first time some minutes; later what changed)';
  const folder = await timed(what, () => buildPreset('wasm', { emscripten }));
  const linked = variants.map((variant) => join(folder, 'bindings/embind', variant, 'core'));
  const [loader, other] = linked.map((path) => readFileSync(`${path}.js`, 'utf8'));
  if (loader !== other) {
    throw new Failure(
      'The two wasm builds have different loaders, so one cannot serve both: see the link options in bindings/embind/CMakeLists.txt.',
    );
  }
  const cut = async (variant, i) => {
    const paths = await splitWasm(emscripten, folder, `${linked[i]}.wasm`);
    copyFileSync(paths.first, join(core, `${variant}.wasm`));
    for (const { name } of parts) copyFileSync(paths[name], join(core, `${variant}.${name}.wasm`));
  };
  await timed('Cutting them into parts', () => Promise.all(variants.map(cut)));
  writeFileSync(join(root, toolchainFile), JSON.stringify(toolchain(emscripten, folder, variants)));
  writeFileSync(join(core, 'core.js'), withoutUnused(withoutOwnWasm(loader)));
}

// The facade always hands the module's bytes in. Left alone, the loader's own guess where they are
// would make users' bundlers look for a core.wasm that does not exist.
function withoutOwnWasm(loader) {
  const rewritten = loader.replace(
    /new URL\((["'])core\.wasm\1,\s*import\.meta\.url\)\.href/g,
    '""',
  );
  if (/new URL\(["'`]core\.wasm/.test(rewritten)) {
    throw new Failure('This Emscripten writes its loader in a new way: adapt scripts/wasm.js.');
  }
  return rewritten;
}

// The facade instantiates the module, so the loader's own ways to find, fetch and compile it are never
// taken; and the module makes its objects, so their classes make none. What another Emscripten writes
// differently stays in, unused.
function withoutUnused(loader) {
  const unused = [
    // From where the loader lies to what it reads with.
    [/var ENVIRONMENT_IS_WEB=.*?(?=var moduleOverrides)/, ''],
    [/var scriptDirectory="";.*?(?=var out=)/, ''],
    [/var dataURIPrefix=.*?(?=function getWasmImports)/, ''],
    [/function receiveInstantiationResult.*?(?=if\(Module\["instantiateWasm"\]\))/, ''],
    [/wasmBinaryFile\?\?=findWasmBinary\(\);instantiateAsync\(.*?(?=return\{\}\})/, ''],
    [
      /function\(\.\.\.args\)\{if\(Object\.getPrototypeOf.*?body\.apply\(this,args\)\}/,
      'function(){}',
    ],
  ];
  if (!unused.every(([pattern]) => pattern.test(loader))) return loader;
  return unused.reduce((text, [pattern, less]) => text.replace(pattern, less), loader);
}
