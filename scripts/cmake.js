// CMake by preset: configure when needed, build, always in build/PRESET.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { emscriptenEnvironment } from './emscripten.js';
import { root, run } from './terminal.js';

/** Builds a preset of CMakePresets.json. `emscripten` is needed for the wasm presets. */
export async function buildPreset(preset, { emscripten = null, target = null } = {}) {
  const env = emscripten ? emscriptenEnvironment(emscripten) : process.env;
  const folder = join(root, 'build', preset);
  const fresh = isOfAnotherToolchain(folder, preset, emscripten) ? ['--fresh'] : [];
  await run('cmake', ['--preset', preset, ...fresh], { env });
  const jobs = String(Number(process.env.PACKED_JOBS) || availableParallelism());
  const options = ['--build', folder, '--parallel', jobs, ...(target ? ['--target', target] : [])];
  await run('cmake', options, { env });
  return folder;
}

// A build folder remembers its toolchain for good, and loses the rest of a preset where only its compiler changes:
// another Emscripten or compiler must start afresh.
function isOfAnotherToolchain(folder, preset, emscripten) {
  const cache = join(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return false;
  const text = readFileSync(cache, 'utf8');
  const home = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(text)?.[1];
  const toolchain = /^CMAKE_TOOLCHAIN_FILE:\w+=(.*)$/m.exec(text)?.[1];
  const compiler = /^CMAKE_CXX_COMPILER:\w+=(.*)$/m.exec(text)?.[1] ?? '';
  const { configurePresets } = JSON.parse(readFileSync(join(root, 'CMakePresets.json'), 'utf8'));
  const { cacheVariables } = configurePresets.find(({ name }) => name === preset);
  const wanted = cacheVariables.CMAKE_CXX_COMPILER ?? basename(compiler);
  return home !== root || toolchain !== emscripten?.toolchainFile || basename(compiler) !== wanted;
}
