/** For the package's own later parts; no part of its interface. @internal */
export * as internals from './internals.js';
export { load } from './load.js';
export { PackedError } from './errors.js';
export { PackedBytes } from './packed-bytes.js';
export { PackedWeights } from './packed-weights.js';
export { Scope } from './scope.js';
export { Session } from './session.js';
export { Trace } from './trace.js';
export { View } from './view.js';

/** @typedef {import('./encodings.js').BlockBit} BlockBit */
/** @typedef {import('./gguf.js').GgufFile} GgufFile */
/** @typedef {import('./gguf-shards.js').GgufShards} GgufShards */
/** @typedef {import('./metadata.js').MetadataArray} MetadataArray */
/** @typedef {import('./ternary-weight.js').TernaryWeight} TernaryWeight */
/** @typedef {import('./validate.js').Finding} Finding */
/** @typedef {import('./validate.js').ValidationReport} ValidationReport */
