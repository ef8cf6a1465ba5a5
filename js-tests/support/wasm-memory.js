// The memories of the wasm modules that start after this file is imported, for tests that must know how
// large they have become. Import it before load() is called.
const memories = [];

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const instance = await instantiate(...given);
  const { exports } = instance.instance ?? instance;
  memories.push(...Object.values(exports).filter((each) => each instanceof WebAssembly.Memory));
  return instance;
};

/** Bytes of all of them together. Memory only ever grows, so that equal means that nothing grew. */
export function wasmMemoryBytes() {
  if (memories.length === 0) throw new Error('no wasm module has been started');
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
