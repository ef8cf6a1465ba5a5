export { load } from './load.js';
export { GgufFile } from './gguf.js';
export { GgufShards } from './gguf-shards.js';
export { MetadataArray } from './metadata.js';
export { PackedError } from './errors.js';
export { PackedBytes } from './packed-bytes.js';
export { PackedWeights } from './packed-weights.js';
export { Scope } from './scope.js';
export { Session } from './session.js';
export { TernaryWeight } from './ternary-weight.js';
export { Trace } from './trace.js';
export { View } from './view.js';

/** @typedef {import('./validate.js').Finding} Finding */
/** @typedef {import('./validate.js').ValidationReport} ValidationReport */
