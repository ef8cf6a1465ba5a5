import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, PackedError } from 'packed-weights';
import { assertAgrees, assertValidGguf } from 'packed-weights/testing';
import { finiteWeight } from '../support/weights.js';

const pw = await load();
const packed = finiteWeight(pw, 'Q4_0', 5, 3);
const floats = new Float32Array(96).fill(0.5);
const what = { metadata: { 'general.name': 'x' }, tensors: [] };
const gguf = pw.writeGguf({
  ...what,
  tensors: [{ name: 'w', encoding: 'Q4_0', shape: [5, 96], bytes: packed.bytes }],
});
const file = await pw.openGguf(gguf);
const view = () => pw.view(packed);
const ternary = () => {
  const bytes = pw.ternary.encode(new Float32Array(512).fill(1), 'TQ1_0').bytes;
  return pw.ternary.weight(bytes, { encoding: 'TQ1_0', out: 2, inputDim: 256, order: 'ROW_MAJOR' });
};

/** What anybody could pass by mistake. */
const hostile = [
  undefined, null, true, 0, -1, 1.5, NaN, Infinity, 2 ** 53, 7n, '', 'x', Symbol('s'), () => 1,
  {}, [], [null], [1.5, -1], new Uint8Array(3), new Float32Array(1), new Date(0), Object.create(null),
  new Proxy({}, {}), Promise.resolve(1), pw, new Map(),
]; // prettier-ignore

/** Every public function, with arguments that it takes. @type {Record<string, [Function, () => any[]]>} */
const calls = {
  load: [load, () => [{ isa: 'scalar', tools: true }]],
  pack: [
    (...a) => pw.pack(...a),
    () => [packed.bytes, { encoding: 'Q4_0', out: 5, inputDim: 96, order: 'ROW_MAJOR' }],
  ],
  blockBits: [(...a) => pw.blockBits(...a), () => ['Q4_0']],
  toKernelOrder: [(...a) => pw.toKernelOrder(...a), () => [packed]],
  toCanonicalOrder: [(...a) => pw.toCanonicalOrder(...a), () => [packed]],
  decode: [(...a) => pw.decode(...a), () => [packed.bytes, 'Q4_0']],
  quantize: [(...a) => pw.quantize(...a), () => [floats, 'Q4_0', { importance: floats }]],
  scope: [(...a) => pw.scope(...a), () => [{ name: 'x', sink: pw.trace(), limit: 1000 }]],
  trace: [(...a) => pw.trace(...a), () => [{ capacity: 4 }]],
  view: [
    (...a) => pw.view(...a),
    () => [
      packed.bytes,
      { encoding: 'Q4_0', shape: [5, 96], order: 'ROW_MAJOR', scope: pw.scope() },
    ],
  ],
  emptyView: [
    (...a) => pw.emptyView(...a),
    () => [{ encoding: 'Q4_0', shape: [5, 96], order: 'ROW_MAJOR', scope: pw.scope() }],
  ],
  writeInto: [(...a) => pw.writeInto(...a), () => [view(), 0, new Uint8Array(18)]],
  openGguf: [
    (...a) => pw.openGguf(...a),
    () => [gguf, { signal: new AbortController().signal, onProgress() {}, onMetadata() {} }],
  ],
  validate: [
    (...a) => pw.validate(...a),
    () => [gguf, { profile: 'spec', values: true, signal: undefined, onProgress() {} }],
  ],
  writeGguf: [(...a) => pw.writeGguf(...a), () => [{ ...what, alignment: 32 }]],
  streamGguf: [
    async (...a) => {
      for await (const _ of pw.streamGguf(...a)) continue;
    },
    () => [{ ...what, alignment: 32 }],
  ],
  splitGguf: [
    (...a) => pw.splitGguf(...a),
    () => [what, { name: 'm', maxTensors: 1, maxBytes: 1000 }],
  ],
  prepackForMatmul: [
    (...a) => pw.prepackForMatmul(...a),
    () => [view(), { scope: pw.scope(), sink: pw.trace() }],
  ],
  toCanonical: [
    (...a) => pw.toCanonical(...a),
    () => [view(), { scope: pw.scope(), sink: pw.trace() }],
  ],
  requireOutIn: [(...a) => pw.requireOutIn(...a), () => [5, 96, 'Q4_0']],
  transpose: [
    (...a) => pw.transpose(...a),
    () => [
      pw.view(new Float32Array(6), { encoding: 'F32', shape: [2, 3], order: 'ROW_MAJOR' }),
      { sink: pw.trace() },
    ],
  ],
  matmul: [
    (...a) => pw.matmul(...a),
    () => [floats, view(), { activation: 'int8', into: new Float32Array(5), sink: pw.trace() }],
  ],
  session: [(...a) => pw.session(...a), () => [{ cacheBytes: 10, sink: pw.trace() }]],
  'session.matmulWeightTransposed': [
    (...a) => pw.session().matmulWeightTransposed(...a),
    () => [floats, view(), { activation: 'int8', into: new Float32Array(5) }],
  ],
  bitnetGemv: [
    (...a) => pw.bitnetGemv(...a),
    () => [new Float32Array(256), ternary(), { activation: 'f32', sink: pw.trace() }],
  ],
  explain: [(...a) => pw.explain(...a), () => [view(), { activation: 'int8' }]],
  disagreement: [
    (...a) => pw.disagreement(...a),
    () => [packed.bytes, 'Q4_0', { shape: [5, 96], kernelOrder: false, reference: packed.bytes }],
  ],
  diagnose: [
    (...a) => pw.diagnose(...a),
    () => [packed.bytes, 'Q4_0', { shape: [5, 96], kernelOrder: false, reference: packed.bytes }],
  ],
  'fixtures.canonical': [(...a) => pw.fixtures.canonical(...a), () => ['Q4_0', [5, 96]]],
  'fixtures.kernel': [(...a) => pw.fixtures.kernel(...a), () => ['Q4_0', [5, 96]]],
  'ternary.encode': [(...a) => pw.ternary.encode(...a), () => [new Float32Array(256), 'TQ1_0']],
  'ternary.decode': [(...a) => pw.ternary.decode(...a), () => [new Uint8Array(54), 'TQ1_0', 256]],
  'ternary.weight': [
    (...a) => pw.ternary.weight(...a),
    () => [
      new Uint8Array(54),
      { encoding: 'TQ1_0', out: 1, inputDim: 256, order: 'ROW_MAJOR', scope: pw.scope() },
    ],
  ],
  'ternary weight.get': [(...a) => ternary().get(...a), () => [0, 1]],
  'ternary weight.narrow': [(...a) => ternary().narrow(...a), () => [0, 1]],
  'ternary weight.prepack': [
    (...a) => ternary().prepack(...a),
    () => ['INPUT_BLOCK_MAJOR', { scope: pw.scope(), sink: pw.trace() }],
  ],
  'view.get': [(...a) => view().get(...a), () => [1, 2]],
  'view.row': [(...a) => view().row(...a), () => [1]],
  'view.narrow': [(...a) => view().narrow(...a), () => [0, 1, 2]],
  'view.everyNth': [(...a) => view().everyNth(...a), () => [0, 2]],
  'view.slice': [(...a) => view().slice(...a), () => [0]],
  'view.prepack': [
    (...a) => view().prepack(...a),
    () => ['INPUT_BLOCK_MAJOR', { scope: pw.scope(), sink: pw.trace() }],
  ],
  'view.prepackInPlace': [
    (...a) => view().prepackInPlace(...a),
    () => ['INPUT_BLOCK_MAJOR', { sink: pw.trace() }],
  ],
  'view.reshape': [(...a) => view().reshape(...a), () => [[5, 96]]],
  'view.planPrepack': [(...a) => view().planPrepack(...a), () => ['INPUT_BLOCK_MAJOR']],
  'view.dequantize': [
    (...a) => view().dequantize(...a),
    () => [{ scope: pw.scope(), sink: pw.trace() }],
  ],
  'trace.record': [(...a) => pw.trace().record(...a), () => [{ kind: 'x' }]],
  'file.tensor': [(...a) => file.tensor(...a), () => ['w']],
  'file.range': [(...a) => file.range(...a), () => ['w']],
  'file.bytes': [(...a) => file.bytes(...a), () => ['w', { signal: undefined }]],
  'file.read': [(...a) => file.read(...a), () => [0, 4, { signal: undefined }]],
  'file.view': [
    (...a) => file.view(...a),
    () => ['w', { weightForm: { order: 'ROW_MAJOR' }, scope: pw.scope(), sink: pw.trace() }],
  ],
  assertAgrees: [
    assertAgrees,
    () => [packed.bytes, 'Q4_0', { shape: [5, 96], reference: packed.bytes }],
  ],
  assertValidGguf: [assertValidGguf, () => [gguf, { profile: 'spec', allowEmpty: false }]],
};

/** Every way in which one argument, or one named part of it, is wrong, or the rest is missing. */
function* mistakes(args) {
  for (let i = 0; i < args().length; i++) {
    yield ['missing from', i, args().slice(0, i)];
    for (const value of hostile) {
      yield ['wrong', i, args().with(i, value)];
      for (const key of plainKeys(args()[i])) {
        yield ['wrong', `${i}.${key}`, args().with(i, { ...args()[i], [key]: value })];
      }
    }
  }
}

const plainKeys = (value) =>
  value && Object.getPrototypeOf(value) === Object.prototype ? Object.keys(value) : [];

for (const [name, [call, args]] of Object.entries(calls)) {
  test(`hostile arguments: ${name} works or refuses with a PackedError`, async () => {
    await call(...args());
    const bare = [];
    for (const [how, where, given] of mistakes(args)) {
      try {
        await call(...given);
      } catch (error) {
        const fair = error instanceof PackedError || error.name === 'AssertionError';
        if (!fair) bare.push(`${how} ${where}: ${String(error)}`);
      }
    }
    assert.deepEqual([...new Set(bare)], []);
  });
}
