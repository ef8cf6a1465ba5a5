// What toChromeTrace() writes is what the Trace Event Format documents, and says what happened.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { load } from 'packed-weights';
import { traceEventSchema } from '../support/trace-event-schema.js';
import { finiteWeight } from '../support/weights.js';

const pw = await load();
const validate = new Ajv({ allErrors: true }).compile(traceEventSchema);

/** The export as a program reads it from a file, valid. */
function exported(trace) {
  const json = JSON.parse(JSON.stringify(trace.toChromeTrace()));
  assert.ok(validate(json), JSON.stringify(validate.errors?.slice(0, 3)));
  return json.traceEvents;
}

/** A trace that holds events of most kinds. */
function eventful() {
  const trace = pw.trace();
  const scope = pw.scope({ name: 'layer "3"', sink: trace });
  const packed = finiteWeight(pw, 'Q4_0', 8, 4);
  const w = pw.view(packed, { scope });
  const fed = w.prepack('INPUT_BLOCK_MAJOR', { sink: trace });
  const x = new Float32Array(packed.inputDim);
  pw.matmul(x, fed, { sink: trace });
  const stepped = pw.view(finiteWeight(pw, 'IQ2_S', 4, 3), { scope });
  pw.matmul(new Float32Array(stepped.shape[1]), stepped, { sink: trace });
  const session = pw.session({ sink: trace });
  for (let turn = 0; turn < 2; ++turn) session.matmulWeightTransposed(x, w);
  session.dispose();
  assert.throws(() => pw.transpose(w, { sink: trace }), { code: 'TRANSPOSE_REFUSED' });
  scope.reset();
  scope.close();
  return { trace, packed };
}

test('chrome trace: the export keeps the documented schema, whatever happened', () => {
  const { trace } = eventful();
  const kinds = new Set(trace.events.map(({ kind }) => kind));
  for (const kind of [
    'Allocation',
    'ScopeReset',
    'AdapterInserted',
    'KernelRun',
    'CacheMiss',
    'CacheHit',
    'Refused',
  ]) {
    assert.ok(kinds.has(kind), `${kind} happened`);
  }
  const events = exported(trace);
  assert.deepEqual(new Set(events.map(({ ph }) => ph)), new Set(['M', 'X', 'i', 'C']));
});

test('chrome trace: the schema refuses what viewers would drop', () => {
  const event = { name: 'n', cat: 'c', ph: 'X', ts: 1, dur: 1, pid: 1, tid: 1, args: {} };
  assert.ok(validate({ traceEvents: [event] }));
  for (const wrong of [
    { dur: undefined },
    { ts: '1' },
    { ph: 'Q' },
    { pid: 'one' },
    { ph: 'i' },
    { args: undefined },
    { ph: 'C', dur: undefined, args: { bytes: 'many' } },
    { ph: 'M', dur: undefined, name: 'process_name' },
  ]) {
    const bad = JSON.parse(JSON.stringify({ traceEvents: [{ ...event, ...wrong }] }));
    assert.ok(!validate(bad), JSON.stringify(wrong));
  }
});

test('chrome trace: times start at zero and never go back', () => {
  const events = exported(eventful().trace);
  assert.equal(events[0].ts, 0);
  for (let i = 1; i < events.length; ++i) assert.ok(events[i].ts >= events[i - 1].ts);
});

test('chrome trace: every event is there once, with its kind, its real time and its bytes', () => {
  const { trace, packed } = eventful();
  const shown = exported(trace).filter(({ ph }) => ph === 'X' || ph === 'i');
  const { events } = trace;
  const origin = Math.min(...events.map(({ startNanos }) => startNanos));
  assert.equal(shown.length, events.length);
  const sorted = events.toSorted((a, b) => a.startNanos - b.startNanos);
  sorted.forEach(({ kind, startNanos, nanos, ...args }, i) => {
    assert.equal(shown[i].cat, kind);
    assert.equal(Math.round(shown[i].ts * 1000), startNanos - origin);
    if (shown[i].ph === 'X') assert.equal(Math.round(shown[i].dur * 1000), nanos);
    assert.deepEqual(shown[i].args, args);
  });
  const run = shown.find(({ cat }) => cat === 'KernelRun');
  assert.equal(run.ph, 'X');
  assert.equal(run.args.bytesRead, packed.bytes.length);
  assert.equal(run.name, run.args.kernel);
});

test('chrome trace: what a scope holds is a counter that ends at zero', () => {
  const { trace, packed } = eventful();
  const counter = exported(trace).filter(
    ({ ph, name }) => ph === 'C' && name === 'scope layer "3"',
  );
  const bytes = counter.map(({ args }) => args.bytes);
  assert.equal(bytes[0], packed.bytes.length);
  assert.equal(bytes[1], 2 * packed.bytes.length);
  assert.equal(bytes.at(-1), 0);
});

test('chrome trace: it names its process and thread, also when nothing happened', () => {
  const metadata = exported(pw.trace());
  assert.deepEqual(
    metadata.map(({ ph, name, args }) => [ph, name, args.name]),
    [
      ['M', 'process_name', 'packed-weights'],
      ['M', 'thread_name', 'packed-weights'],
    ],
  );
});
