// Everything that users call, by the types that they get: compiled by js-tests/js/types.test.js, never run.
import {
  load,
  PackedError,
  PackedBytes,
  PackedWeights,
  Scope,
  Session,
  Trace,
  View,
} from 'packed-weights';
import type {
  BlockBit,
  GgufFile,
  GgufShards,
  MetadataArray,
  TernaryWeight,
  Finding,
  ValidationReport,
} from 'packed-weights';
import { load as loadInline } from 'packed-weights/inline';
import { assertAgrees, assertValidGguf, fixtures } from 'packed-weights/testing';
import {
  calibrate,
  plans,
  runBench,
  documentOf,
  markdownOf,
  measured,
  speedOf,
  verdictOf,
  ops,
} from 'packed-weights/bench';
import type { BenchPlan, BenchOp, BenchRow, BenchStep, Calibration } from 'packed-weights/bench';

const pw: PackedWeights = await load();
await load({ isa: 'auto' });
await load({ isa: 'relaxed', tools: false });
await load({ wasm: new URL('https://x/y.wasm') });
await load({
  wasm: {
    first: new Uint8Array(3),
    columns: 'x',
    tools: new Response(),
    files: new WebAssembly.Module(new Uint8Array(8)),
  },
});
// @ts-expect-error
await load({ isa: 'foo' });
// @ts-expect-error
await load({ tool: true });
const isa: 'scalar' | 'simd128' | 'relaxed' = pw.isa;
const why: string = pw.isaReason;
const kernels: readonly string[] = pw.kernels;
const enc = pw.encodings.Q4_K;
if (enc) {
  const n: string = enc.name,
    t: number = enc.ggmlType,
    e: number = enc.elements,
    b: number = enc.bytes;
  const q: boolean = enc.quantizable;
  const bl: boolean = enc.blocked;
  void [n, t, e, b, q, bl, enc.fields];
}
const bits: BlockBit[] = pw.blockBits('Q4_K');
const bytes = new Uint8Array(2160);
const packed: PackedBytes = pw.pack(bytes, {
  encoding: 'Q4_K',
  out: 5,
  inputDim: 768,
  order: 'ROW_MAJOR',
});
// @ts-expect-error
pw.pack(bytes, { encoding: 'Q4_K', out: 5, inputDim: 768, order: 'ROW' });
// @ts-expect-error
pw.pack(bytes, { encoding: 'Q4_K', out: 5, inputDim: 768 });
const k: PackedBytes = pw.toKernelOrder(packed);
const c: PackedBytes = pw.toCanonicalOrder(k);
const order: 'ROW_MAJOR' | 'INPUT_BLOCK_MAJOR' = c.order;
const u8: Uint8Array = c.bytes;
const nums: number[] = [c.out, c.inputDim, c.blocksPerRow];
const es: string = c.encoding;
const floats: Float32Array = pw.decode(bytes, 'Q4_K');
const q = pw.quantize(floats, 'Q4_K', { inputDim: 768, importance: floats });
const rep: number[] = [q.report.relativeRms, q.report.maxAbs, q.report.worstRow];
const qb: Uint8Array = q.bytes;
const trace: Trace = pw.trace({ capacity: 3 });
const scope: Scope = pw.scope({ name: 'x', sink: trace, limit: 5 });
const scope2 = pw.scope({
  sink: (event) => {
    const kind: string = event.kind;
    const n: number | undefined = event.bytes;
    void [kind, n];
  },
});
const view: View = pw.view(packed, { scope });
const view2: View = pw.view(bytes, {
  encoding: 'Q4_K',
  shape: [5, 768],
  order: 'ROW_MAJOR',
  scope,
});
const shape: readonly number[] = view.shape;
const strides: readonly number[] = view.strides;
const off: number = view.offset;
const vo: 'ROW_MAJOR' | 'INPUT_BLOCK_MAJOR' = view.order;
const g: number = view.get(0, 1);
const f32: Float32Array = view.toFloats();
const nar: View = view.narrow(0, 1, 2);
const tr: View = view.transpose();
const sl: View = view.slice(0);
const vb: Uint8Array = view.bytes();
const row: Float32Array = view.row(1);
const pre: View = view.prepack('INPUT_BLOCK_MAJOR', { scope, sink: trace });
const pm: View = pw.prepackForMatmul(view, { scope, sink: trace });
const can: View = pw.toCanonical(view);
pw.requireOutIn(5, 768, 'Q4_K');
pw.transpose(view, { sink: trace });
const y: Float32Array = pw.matmul(floats, view, {
  activation: 'int8',
  prepackWeights: false,
  scope,
  sink: trace,
  into: new Float32Array(5),
});
const session: Session = pw.session({ cacheBytes: 5, sink: trace });
const y2: Float32Array = session.matmulWeightTransposed(floats, view, {
  activation: 'f32',
  into: y,
});
const hits: number = session.stats.hits;
session.clear();
{
  using s = pw.scope();
  using v = pw.view(packed, { scope: s });
  using se = pw.session();
  void [v, se];
}
const events: readonly { kind: string }[] = trace.events;
const chrome: { traceEvents: object[] } = trace.toChromeTrace();
trace.clear();
const fx = pw.fixtures.decodable('Q4_K');
const fb: Uint8Array = fx.bytes;
const dec: Float32Array = fx.decoded;
const fo: number = fx.out;
void [
  pw.fixtures.canonical('Q4_K'),
  pw.fixtures.kernelOrder('Q4_K'),
  fx.x,
  fx.y,
  fx.blocksPerRow,
  fx.order,
];
const d = pw.disagreement(bytes, 'Q4_K', {
  kernelOrder: true,
  out: 4,
  blocksPerRow: 3,
  reference: bytes,
});
if (d) {
  const o: number | null = d.o;
  const found: { o: number; b: number } | null = d.found;
  // @ts-expect-error
  void scope.bytes.toUpperCase;
  void [o, found, d.message, d.misplaced, d.total, d.flatIndex];
}
const dg = pw.diagnose(view, 'Q4_K');
const kind: 'agrees' | 'other-order' | string = dg.kind;
const fix: string | null = dg.fix;
void [kind, fix, dg.picture];
if (dg.kind === 'undetermined') console.log(dg.message);
// @ts-expect-error
if (dg.kind === 'no-such-kind') console.log(dg.message);
const controller = new AbortController();
const file: GgufFile = await pw.openGguf(new Blob([]), {
  signal: controller.signal,
  onProgress: ({ bytesRead, totalBytes }) => void (bytesRead + totalBytes),
  onMetadata: (m) => void m.size,
});
const shards: GgufShards = await pw.openGguf([
  new URL('https://x'),
  'b',
  new ArrayBuffer(3),
  new Uint8Array(3),
  { size: 3, read: async (o: number, l: number) => new Uint8Array(l), close() {} },
]);
const both: GgufShards = await pw.openGguf(['a'] as readonly string[]);
void (await pw.validate(['a'] as readonly string[]));
const custom = await pw.openGguf({
  size: 3,
  name: 'x',
  read: (offset, length, signal) => {
    signal?.throwIfAborted();
    return new Uint8Array(length);
  },
  nextData: (o) => o,
});
const meta: Map<string, unknown> = file.metadata;
for (const t of file.tensors) {
  const ne: readonly number[] = t.ne;
  const e: string | null = t.encoding;
  const o: number | null = t.offset;
  const bl: number | null = t.byteLength;
  void [ne, e, o, bl, t.blocksPerRow, t.ggmlType, t.name, t.shape, t.typeName];
}
const arr = file.metadata.get('x');
if (typeof arr === 'object') {
  const ma: MetadataArray = arr;
  const at = ma.at(0);
  void [at, ma.length, ma.elementType, [...ma], ma.toArray()];
}
const tb: Uint8Array = await file.bytes('w', { signal: controller.signal });
const tv: View = await file.view('w', {
  weightForm: { shape: 'OUT_IN', order: 'KERNEL_FEED' },
  scope,
  sink: trace,
  signal: controller.signal,
  onProgress: () => {},
});
await file.view('w', { weightForm: 'legacy' });
await shards.view('w');
await shards.shardOf('w').close();
const report: ValidationReport = await pw.validate('x', {
  profile: 'llama',
  tensorData: true,
  signal: controller.signal,
  onProgress: () => {},
});
const fi: Finding | undefined = report.findings[0];
if (fi) {
  const s: 'error' | 'warning' | 'info' = fi.severity;
  void [s, fi.rule, fi.offset, fi.tensor, fi.o, fi.b, fi.message, fi.count];
}
void [report.ok, report.tensorsChecked, report.bytesChecked];
const whole: Uint8Array = pw.writeGguf({
  metadata: { a: 'b', n: 5, list: ['x'], typed: { type: 'u32', value: 3 } },
  tensors: [{ name: 'w', encoding: 'Q4_K', shape: [5, 768], bytes }],
  alignment: 32,
});
pw.writeGguf({ metadata: file.storedMetadata(), tensors: [] });
pw.writeGguf({
  metadata: new Map<string, string>([['a', 'b']]),
  tensors: [{ name: 'w', encoding: 'F32', ne: [3], bytes: new Float32Array(3) }],
});
for await (const chunk of pw.streamGguf({
  tensors: [
    {
      name: 'w',
      encoding: 'Q4_K',
      ne: [768, 5],
      bytes: async function* () {
        yield bytes;
      },
    },
  ],
})) {
  const u: Uint8Array = chunk;
  void u;
}
for (const s of pw.splitGguf({ tensors: [] }, { prefix: 'x', maxBytes: 5 })) {
  const n: string = s.name;
  pw.writeGguf(s);
  void n;
}
const tern = pw.ternary.encode(floats, 'TQ1_0');
const tw: TernaryWeight = pw.ternary.weight(tern.bytes, {
  out: 2,
  inputDim: 256,
  order: 'ROW_MAJOR',
  scope,
});
pw.bitnetGemv(floats, tw, { activation: 'int8' });
pw.bitnetGemv(floats, view);
pw.ternary.importI2S(bytes, { count: 3, order: 'group64' });
const ex = pw.explain(view, { activation: 'int8' });
const kn: string | null = ex.kernel;
const rules = pw.rules.map(({ id, spec, llama, text }) => [id, spec, llama, text]);
const commit: string | null = pw.build.commit;
void commit;
try {
  pw.transpose(view);
} catch (error) {
  if (error instanceof PackedError) {
    const code: string = error.code;
    const o: number | undefined = error.offset;
    const t: string | undefined = error.tensor;
    void [code, o, t, error.expected, error.actual, error.cause];
  }
}
assertAgrees(bytes, 'Q4_K', { kernelOrder: true });
await assertValidGguf('x', {
  profile: 'spec',
  failOn: 'warning',
  allowEmpty: true,
  tensorData: false,
  signal: controller.signal,
});
void fixtures.canonical('Q4_K');
const plan: BenchPlan = plans.quick;
for await (const step of runBench(pw, plan)) {
  const s: BenchStep = step;
  const r: BenchRow = s.row;
  const op: BenchOp = r.op;
  void [op, measured(r), speedOf(r), verdictOf(r), s.done, s.total];
}
const cal: Calibration = calibrate(pw, { bytes: 3, milliseconds: 2 });
void [documentOf(cal, []), markdownOf(undefined, []), ops.length];
const p2 = await loadInline({ isa: 'simd128' });
p2.decode(bytes, 'Q4_K');
await pw.loadTools();
await file.close();
{
  await using f = await pw.openGguf('x');
  void f;
}
view.dispose();
scope.close();
scope.reset();
session.dispose();
void [
  isa,
  why,
  kernels,
  bits,
  order,
  u8,
  nums,
  es,
  rep,
  qb,
  scope2,
  view2,
  shape,
  strides,
  off,
  vo,
  g,
  f32,
  nar,
  tr,
  sl,
  vb,
  row,
  pre,
  pm,
  can,
  y2,
  hits,
  events,
  chrome,
  fb,
  dec,
  fo,
  both,
  custom,
  meta,
  tb,
  tv,
  whole,
  kn,
  rules,
  view.planPrepack('ROW_MAJOR'),
  view.dequantize({ scope }),
  view.everyNth(0, 2),
  view.reshape([1, 5, 768]),
  view.prepackInPlace('ROW_MAJOR'),
  view.layoutClass,
  view.byteLength,
  scope.bytes.toFixed(),
  scope.bytesPeak.toFixed(),
  scope.closed,
];
