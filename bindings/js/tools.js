// What quantizes, proves, diagnoses and writes: loaded beside the main entry, as its .wasm part is.
export { splitGguf } from './gguf-split.js';
export { streamGguf, writeGguf } from './gguf-write.js';
// The reader of files takes these from here: values that are read are told from others when written.
export * from './metadata.js';
export * from './metadata-types.js';
export { quantize } from './quantize.js';
export { TernaryWeight } from './ternary-weight.js';
export { Ternary } from './ternary.js';
export { diagnose, disagreement } from './weights.js';
