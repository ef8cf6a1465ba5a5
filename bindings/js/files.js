// What reads and checks GGUF files: loaded with the first of them, as its .wasm part is.
export { openGguf } from './gguf.js';
export { openShards } from './gguf-shards.js';
export { validate } from './validate.js';
