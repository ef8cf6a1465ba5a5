// Every public function, with arguments that it takes: what tests try out by replacing one after the other.
import { load } from 'packed-weights';
import {
  calibrate,
  documentOf,
  markdownOf,
  measured,
  plans,
  runBench,
  speedOf,
  verdictOf,
} from 'packed-weights/bench';
import { assertAgrees, assertValidGguf } from 'packed-weights/testing';
import { finiteWeight } from './weights.js';

const pw = await load();
const packed = finiteWeight(pw, 'Q4_0', 5, 3);
const floats = new Float32Array(96).fill(0.5);
const order = 'ROW_MAJOR';
const tensor = { name: 'w', encoding: 'Q4_0', shape: [5, 96], bytes: packed.bytes };
const metadata = { 'general.name': 'x', 'a.list': ['b', 'c'] };
const what = () => ({ metadata, tensors: [tensor], alignment: 32 });
const gguf = pw.writeGguf(what());
const file = await pw.openGguf(gguf);
const shards = await pw.openGguf(
  pw
    .splitGguf(what(), { prefix: 'm', maxBytes: 1000 })
    .map((shard) => new File([pw.writeGguf(shard)], shard.name)),
);
const trits = pw.ternary.encode(new Float32Array(512).fill(1), 'BITNET_B1_58').bytes;
const i2s = () => [new Uint8Array(96), { count: 256, order: 'sequential' }];
const trace = pw.trace();
const owned = [];
const own = pw.scope({ name: 'of the tests' });

/** A scope that is handed to a function; `emptied` looks into it. */
function scope() {
  owned.push(pw.scope());
  return owned.at(-1);
}

/** How many bytes the scopes hold that were handed to functions since the last time; they are given back. */
export function emptied() {
  const bytes = owned.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of owned.splice(0)) one.close();
  own.reset();
  return bytes;
}

const view = () => pw.view(packed, { scope: own });
const ternary = () =>
  pw.ternary.weight(trits, { encoding: 'TQ1_0', out: 2, inputDim: 256, order, scope: own });
const stack = () =>
  pw.view(packed.bytes, { encoding: 'Q4_0', shape: [5, 1, 96], order, scope: own });
const { signal } = new AbortController();
const how = () => ({ out: 5, blocksPerRow: 3, kernelOrder: false, reference: packed.bytes });
const calibration = { dotCeiling: 100, streamRead: 40, copy: 20 };
const benchRow = {
  ...{
    op: 'gemv',
    encoding: 'Q4_0',
    order,
    activation: 'int8',
    isa: 'simd128',
    out: 4,
    inputDim: 512,
    n: 1,
  },
  ...{
    milliseconds: 0.5,
    gops: 1.5,
    gbps: 2.5,
    of: 'dotCeiling',
    ceiling: 3,
    share: 0.5,
    goal: 0.4,
  },
};
const session = pw.session();
const bitnet = { activation: 'f32', into: new Float32Array(2), sink: trace };

/** @type {Record<string, [(...args: any[]) => any, () => any[]]>} */
export const publicCalls = {
  load: [load, () => [{ isa: 'scalar', tools: true }]],
  'load of parts': [
    load,
    () => {
      const wasm = (name) => new URL(import.meta.resolve(`packed-weights/${name}.wasm`));
      return [{ isa: 'simd128', wasm: { first: wasm('simd128'), tools: wasm('simd128.tools') } }];
    },
  ],
  pack: [
    (...a) => pw.pack(...a),
    () => [packed.bytes, { encoding: 'Q4_0', out: 5, inputDim: 96, order }],
  ],
  blockBits: [(...a) => pw.blockBits(...a), () => ['Q4_0']],
  toKernelOrder: [(...a) => pw.toKernelOrder(...a), () => [packed]],
  toCanonicalOrder: [(...a) => pw.toCanonicalOrder(...a), () => [packed]],
  decode: [(...a) => pw.decode(...a), () => [packed.bytes, 'Q4_0']],
  quantize: [
    (...a) => pw.quantize(...a),
    () => [floats, 'Q4_0', { inputDim: 96, importance: floats }],
  ],
  scope: [(...a) => pw.scope(...a), () => [{ name: 'x', sink: trace, limit: 1000 }]],
  trace: [(...a) => pw.trace(...a), () => [{ capacity: 4 }]],
  view: [
    (...a) => pw.view(...a),
    () => [packed.bytes, { encoding: 'Q4_0', shape: [5, 96], order, scope: scope() }],
  ],
  'view of tagged bytes': [(...a) => pw.view(...a), () => [packed, { scope: scope() }]],
  emptyView: [
    (...a) => pw.emptyView(...a),
    () => [{ encoding: 'Q4_0', shape: [5, 96], order, scope: scope() }],
  ],
  writeInto: [(...a) => pw.writeInto(...a), () => [view(), 0, new Uint8Array(18)]],
  openGguf: [
    (...a) => pw.openGguf(...a),
    () => [gguf, { signal, onProgress() {}, onMetadata() {} }],
  ],
  'openGguf of a source': [
    (...a) => pw.openGguf(...a),
    () => {
      const read = (offset, length) => gguf.slice(offset, offset + length);
      return [{ size: gguf.length, name: 'x', read, nextData: (offset) => offset, close() {} }];
    },
  ],
  validate: [
    (...a) => pw.validate(...a),
    () => [gguf, { profile: 'spec', tensorData: true, signal, onProgress() {} }],
  ],
  writeGguf: [(...a) => pw.writeGguf(...a), () => [what()]],
  'writeGguf of a tensor': [
    (tensor) => pw.writeGguf({ tensors: [tensor] }),
    () => [{ ...tensor, ne: [96, 5] }],
  ],
  'writeGguf of a value': [
    (value) => pw.writeGguf({ metadata: { key: value } }),
    () => [{ type: 'u8', value: 1 }],
  ],
  'writeGguf of pairs': [
    (...pair) => pw.writeGguf({ metadata: [pair] }),
    () => ['key', { type: 'f64', value: 1 }],
  ],
  streamGguf: [
    async (...a) => {
      for await (const _ of pw.streamGguf(...a)) continue;
    },
    () => [what()],
  ],
  'streamGguf of parts': [
    async (bytes) => {
      const tensors = [{ ...tensor, bytes: () => bytes }];
      for await (const _ of pw.streamGguf({ tensors })) continue;
    },
    () => [[packed.bytes.subarray(0, 7), packed.bytes.subarray(7)]],
  ],
  splitGguf: [(...a) => pw.splitGguf(...a), () => [what(), { prefix: 'm', maxBytes: 1000 }]],
  prepackForMatmul: [
    (...a) => pw.prepackForMatmul(...a),
    () => [view(), { scope: scope(), sink: trace }],
  ],
  toCanonical: [(...a) => pw.toCanonical(...a), () => [view(), { scope: scope(), sink: trace }]],
  requireOutIn: [(...a) => pw.requireOutIn(...a), () => [5, 96, 'Q4_0']],
  transpose: [
    (...a) => pw.transpose(...a),
    () => [
      pw.view(new Float32Array(6), { encoding: 'F32', shape: [2, 3], order, scope: own }),
      { sink: trace },
    ],
  ],
  matmul: [
    (...a) => pw.matmul(...a),
    () => [
      floats,
      view(),
      {
        activation: 'int8',
        prepackWeights: true,
        scope: scope(),
        into: new Float32Array(5),
        sink: trace,
      },
    ],
  ],
  session: [(...a) => pw.session(...a), () => [{ cacheBytes: 10, sink: trace }]],
  'session.matmulWeightTransposed': [
    (...a) => session.matmulWeightTransposed(...a),
    () => [floats, view(), { activation: 'int8', into: new Float32Array(5) }],
  ],
  bitnetGemv: [
    (...a) => pw.bitnetGemv(...a),
    () => [new Float32Array(256), ternary(), { ...bitnet }],
  ],
  explain: [(...a) => pw.explain(...a), () => [view(), { activation: 'int8' }]],
  disagreement: [(...a) => pw.disagreement(...a), () => [packed.bytes, 'Q4_0', how()]],
  diagnose: [(...a) => pw.diagnose(...a), () => [packed.bytes, 'Q4_0', how()]],
  'disagreement of a view': [
    (...a) => pw.disagreement(...a),
    () => [view(), 'Q4_0', { reference: packed.bytes }],
  ],
  'fixtures.canonical': [(...a) => pw.fixtures.canonical(...a), () => ['Q4_0']],
  'fixtures.kernelOrder': [(...a) => pw.fixtures.kernelOrder(...a), () => ['Q4_0']],
  'fixtures.decodable': [(...a) => pw.fixtures.decodable(...a), () => ['Q4_0']],
  'ternary.encode': [(...a) => pw.ternary.encode(...a), () => [new Float32Array(256), 'TQ1_0']],
  'ternary.decode': [(...a) => pw.ternary.decode(...a), () => [new Uint8Array(54), 'TQ1_0', 256]],
  'ternary.importI2S': [(...a) => pw.ternary.importI2S(...a), i2s],
  'ternary.weight': [
    (...a) => pw.ternary.weight(...a),
    () => [trits, { out: 2, inputDim: 256, order, scope: scope() }],
  ],
  'ternary weight.get': [(...a) => ternary().get(...a), () => [0, 1]],
  'ternary weight.narrow': [(...a) => ternary().narrow(...a), () => [0, 1]],
  'ternary weight.prepack': [
    (...a) => ternary().prepack(...a),
    () => ['INPUT_BLOCK_MAJOR', { scope: scope(), sink: trace }],
  ],
  'view.get': [(...a) => view().get(...a), () => [1, 2]],
  'view.row': [(...a) => view().row(...a), () => [1]],
  'view.narrow': [(...a) => view().narrow(...a), () => [0, 1, 2]],
  'view.everyNth': [(...a) => view().everyNth(...a), () => [0, 2]],
  'view.slice': [(...a) => stack().slice(...a), () => [0]],
  'view.prepack': [
    (...a) => view().prepack(...a),
    () => ['INPUT_BLOCK_MAJOR', { scope: scope(), sink: trace }],
  ],
  'view.prepackInPlace': [
    (...a) => view().prepackInPlace(...a),
    () => ['INPUT_BLOCK_MAJOR', { sink: trace }],
  ],
  'view.reshape': [(...a) => view().reshape(...a), () => [[1, 5, 96]]],
  'view.planPrepack': [(...a) => view().planPrepack(...a), () => ['INPUT_BLOCK_MAJOR']],
  'view.dequantize': [(...a) => view().dequantize(...a), () => [{ scope: scope(), sink: trace }]],
  'trace.record': [(...a) => pw.trace().record(...a), () => [{ kind: 'x' }]],
  'file.tensor': [(...a) => file.tensor(...a), () => ['w']],
  'file.range': [(...a) => file.range(...a), () => ['w']],
  'file.bytes': [(...a) => file.bytes(...a), () => ['w', { signal }]],
  'file.read': [(...a) => file.read(...a), () => [0, 4, { signal }]],
  'file.view': [(...a) => file.view(...a), () => ['w', { ...reading(), scope: scope() }]],
  'file.view as': [(form) => file.view('w', { weightForm: form, scope: own }), () => [form()]],
  'shards.tensor': [(...a) => shards.tensor(...a), () => ['w']],
  'shards.shardOf': [(...a) => shards.shardOf(...a), () => ['w']],
  'shards.bytes': [(...a) => shards.bytes(...a), () => ['w', { signal }]],
  'shards.view': [(...a) => shards.view(...a), () => ['w', { ...reading(), scope: scope() }]],
  'MetadataArray.at': [(...a) => file.metadata.get('a.list').at(...a), () => [1]],
  calibrate: [calibrate, () => [pw, { bytes: 4096, milliseconds: 0 }]],
  runBench: [run, () => [pw, { ...plans.tiny, ops: ['decode'], milliseconds: 0 }]],
  'runBench of a matmul': [
    (matmul) => run(pw, { ...plans.tiny, milliseconds: 0, ops: ['gemv'], matmuls: [matmul] }),
    () => [{ shape: [4, 512], columns: [1], orders: [order], activations: ['f32'] }],
  ],
  'runBench of shapes': [
    (...passes) => run(pw, { ...plans.tiny, milliseconds: 0, ops: ['decode'], passes }),
    () => [[4, 512]],
  ],
  documentOf: [documentOf, () => [calibration, [benchRow]]],
  markdownOf: [markdownOf, () => [calibration, [benchRow]]],
  'markdownOf a row': [(row) => markdownOf(calibration, [row]), () => [benchRow]],
  measured: [measured, () => [{ op: 'gemv', order, activation: 'int8', n: 1 }]],
  speedOf: [speedOf, () => [{ gops: 1.5, gbps: 2.5 }]],
  verdictOf: [verdictOf, () => [{ goal: 0.5, share: 0.4 }]],
  assertAgrees: [assertAgrees, () => [packed.bytes, 'Q4_0', how()]],
  assertValidGguf: [
    assertValidGguf,
    () => [gguf, { profile: 'spec', tensorData: true, failOn: 'error', allowEmpty: false, signal }],
  ],
};

/** Its first row is measured. */
async function run(...given) {
  for await (const { row } of runBench(...given)) return row;
}

function reading() {
  return { weightForm: { shape: 'OUT_IN' }, sink: trace, signal, onProgress() {} };
}

function form() {
  return { shape: 'OUT_IN', order: 'KERNEL_FEED', encoding: 'keep' };
}
