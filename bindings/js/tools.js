// What quantizes, proves, diagnoses and writes: loaded beside the main entry, as its .wasm part is.
export { bitnetGemv } from './bitnet-gemv.js';
export { explain } from './explain.js';
export { fixturesOf } from './fixtures.js';
export { splitGguf } from './gguf-split.js';
export { streamGguf, writeGguf } from './gguf-write.js';
export { readMetadata, storedMetadata } from './metadata.js';
export { quantize } from './quantize.js';
export { TernaryWeight } from './ternary-weight.js';
export { Ternary } from './ternary.js';
export { diagnose, disagreement } from './weights.js';
