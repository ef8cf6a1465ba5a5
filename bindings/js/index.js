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

/** @typedef {import('./arguments.js').BlockOrder} BlockOrder */
/** @typedef {import('./build.js').Build} Build */
/** @typedef {import('./chrome-trace.js').ChromeEvent} ChromeEvent */
/** @typedef {import('./chrome-trace.js').ChromeTrace} ChromeTrace */
/** @typedef {import('./encodings.js').BlockBit} BlockBit */
/** @typedef {import('./encodings.js').BlockField} BlockField */
/** @typedef {import('./encodings.js').Encoding} Encoding */
/** @typedef {import('./fixtures.js').DecodableFixture} DecodableFixture */
/** @typedef {import('./fixtures.js').Fixtures} Fixtures */
/** @typedef {import('./gguf.js').GgufFile} GgufFile */
/** @typedef {import('./gguf.js').GgufTensor} GgufTensor */
/** @typedef {import('./gguf.js').OpenOptions} OpenOptions */
/** @typedef {import('./gguf.js').ViewOptions} ViewOptions */
/** @typedef {import('./gguf.js').WeightForm} WeightForm */
/** @typedef {import('./gguf-shards.js').GgufShards} GgufShards */
/** @template S @typedef {import('./gguf-shards.js').Opened<S>} Opened */
/** @typedef {import('./gguf-split.js').GgufShardToWrite} GgufShardToWrite */
/** @typedef {import('./gguf-split.js').SplitOptions} SplitOptions */
/** @typedef {import('./gguf-write.js').GgufToWrite} GgufToWrite */
/** @typedef {import('./gguf-write.js').TensorToWrite} TensorToWrite */
/** @typedef {import('./load.js').Built} Built */
/** @typedef {import('./load.js').Isa} Isa */
/** @typedef {import('./load.js').LoadOptions} LoadOptions */
/** @typedef {import('./matmul.js').MatmulOptions} MatmulOptions */
/** @typedef {import('./metadata.js').MetadataArray} MetadataArray */
/** @typedef {import('./metadata.js').MetadataValue} MetadataValue */
/** @typedef {import('./metadata.js').StoredValue} StoredValue */
/** @typedef {import('./metadata-write.js').WritableValue} WritableValue */
/** @typedef {import('./module-parts.js').Parts} Parts */
/** @typedef {import('./quantize.js').QuantizeOptions} QuantizeOptions */
/** @typedef {import('./quantize.js').QuantizeReport} QuantizeReport */
/** @typedef {import('./session.js').SessionStats} SessionStats */
/** @typedef {import('./source.js').CustomSource} CustomSource */
/** @typedef {import('./source.js').SourceLike} SourceLike */
/** @typedef {import('./ternary.js').I2sOrder} I2sOrder */
/** @typedef {import('./ternary.js').Ternary} Ternary */
/** @typedef {import('./ternary.js').TernaryEncoding} TernaryEncoding */
/** @typedef {import('./ternary-weight.js').TernaryWeight} TernaryWeight */
/** @typedef {import('./trace.js').Sink} Sink */
/** @typedef {import('./trace.js').TraceEvent} TraceEvent */
/** @typedef {import('./validate.js').Finding} Finding */
/** @typedef {import('./validate.js').ValidateOptions} ValidateOptions */
/** @typedef {import('./validate.js').ValidationReport} ValidationReport */
/** @typedef {import('./wasm-source.js').WasmSource} WasmSource */
/** @typedef {import('./weights.js').ContentMistake} ContentMistake */
/** @typedef {import('./weights.js').Diagnosis} Diagnosis */
/** @typedef {import('./weights.js').DiagnosisKind} DiagnosisKind */
/** @typedef {import('./weights.js').Disagreement} Disagreement */
/** @typedef {import('./weights.js').DisagreementOptions} DisagreementOptions */
/** @typedef {import('./weights.js').PlaceMistake} PlaceMistake */
