import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'packed-weights';
import { kernelOrder, mistakes, valueMistakes } from '../support/damage.js';
import { PseudoRandom } from '../support/pseudo-random.js';
import { blockedEncodings } from '../support/weights.js';

const pw = await load();
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const realFile = join(process.env.PACKED_SHARED ?? join(root, '../shared'), 'gguf/silero-vad.gguf');

test('diagnose: the fixtures of every encoding tell order, label and a second relayout apart', () => {
  for (const encoding of blockedEncodings(pw)) {
    for (const w of [placement(encoding), decodable(encoding)]) {
      for (const { name, kind, make } of mistakes.slice(0, 3)) {
        const { out, blocksPerRow } = w;
        const verdict = pw.diagnose(make(w), encoding, { kernelOrder: true, out, blocksPerRow });
        assert.equal(verdict.kind, kind, `${encoding} ${name}: ${verdict.message}`);
      }
    }
  }
});

test('diagnose: agreement is said as such, with what it is worth', () => {
  const verdict = pw.diagnose(pw.fixtures.kernelOrder('Q4_K'), 'Q4_K', { kernelOrder: true });
  assert.equal(verdict.kind, 'agrees');
  assert.equal(verdict.explained, 12);
  const one = new Uint8Array(18 * 3).map((_, i) => i);
  const narrow = pw.diagnose(one, 'Q4_0', { out: 3, blocksPerRow: 1, reference: one });
  assert.match(narrow.message, /proves nothing about the order \(one block per row/);
});

test('diagnose: a square grid is undetermined and says so', () => {
  const reference = new PseudoRandom(3).bytes(9 * 18);
  const grid = { kernelOrder: true, out: 3, blocksPerRow: 3, reference };
  const verdict = pw.diagnose(reference, 'Q4_0', grid);
  assert.equal(verdict.kind, 'undetermined');
  assert.match(verdict.message, /square grid of 3 x 3/);
  assert.deepEqual(verdict.candidates, ['other-order', 'prepacked-twice']);
});

test('diagnose: the call that it names mends the other order', () => {
  const { bytes, out, blocksPerRow } = pw.fixtures.decodable('Q5_K');
  const options = { kernelOrder: true, out, blocksPerRow };
  const { fix } = pw.diagnose(bytes, 'Q5_K', options);
  const mended = new Function('pw', 'bytes', `return ${fix}`)(pw, bytes);
  assert.equal(pw.disagreement(mended.bytes, 'Q5_K', options), null);
});

test('diagnose: refuses what it cannot compare, and lives on', () => {
  const code = (encoding, options) => {
    try {
      pw.diagnose(new Uint8Array(8), encoding, options);
    } catch (error) {
      return error.code;
    }
  };
  assert.equal(code('Q9_9'), 'UNKNOWN_ENCODING');
  assert.equal(code('Q4_0', { out: 7, blocksPerRow: 7 }), 'INVALID_ARGUMENT');
  assert.equal(code('Q4_0', { out: 7 }), 'INVALID_ARGUMENT');
  assert.equal(
    code('Q4_0', { out: 2, blocksPerRow: 2, reference: new Uint8Array(3) }),
    'SIZE_MISMATCH',
  );
  assert.equal(pw.diagnose(new Uint8Array(), 'Q4_0').kind, 'truncated');
});

test('diagnose: every mistake on the tensors of a file that is made here', async () => {
  const random = new PseudoRandom(11);
  const shapes = {
    Q4_0: [128, 512],
    Q8_0: [512, 128],
    Q4_K: [512, 512],
    Q5_1: [384, 64],
    Q4_1: [192, 128],
  };
  const tensors = Object.entries(shapes).map(([encoding, shape]) => {
    const { bytes, elements } = pw.encodings[encoding];
    const content = random.bytes((shape[0] * shape[1] * bytes) / elements);
    return { name: `${encoding}.weight`, encoding, shape, bytes: content };
  });
  await diagnoseFile(pw.writeGguf({ tensors }), 5);
});

test(
  'diagnose: every mistake on the trained weights of silero-vad.gguf',
  { skip: !existsSync(realFile) && `${realFile} is not on this machine: nothing was compared` },
  () => diagnoseFile(realFile, 5),
);

test('diagnose: plain values, every mistake on matrices, vectors and a real bias', async () => {
  const random = new PseudoRandom(21);
  const weights = [
    [12, 35],
    [8, 64],
    [1, 40],
  ].map(([out, inputDim]) => ({ out, inputDim, values: random.floats(out * inputDim) }));
  if (existsSync(realFile)) {
    const file = await pw.openGguf(realFile);
    const { buffer, byteOffset } = (await file.bytes('decoder.rnn.bias_ih')).slice();
    weights.push({ out: 1, inputDim: 512, values: new Float32Array(buffer, byteOffset, 512) });
    await file.close();
  }
  for (const w of weights) {
    const reference = new Uint8Array(w.values.slice().buffer);
    const options = { out: w.out, blocksPerRow: w.inputDim, reference };
    assert.equal(pw.diagnose(reference, 'F32', options).kind, 'agrees');
    for (const { name, kind, make } of valueMistakes) {
      const bytes = make(w);
      const verdict = pw.diagnose(bytes, 'F32', options);
      const harmless = Buffer.compare(bytes, reference) === 0;
      const label = `${w.out} x ${w.inputDim}, ${name}: ${verdict.kind} ${verdict.message}`;
      const accepted = w.out > 1 ? [kind] : [kind, 'undetermined'];
      assert.ok((harmless ? ['agrees'] : accepted).includes(verdict.kind), label);
    }
  }
});

test('report llama.cpp #22565: norm weights that differ from the source by 1.0', () => {
  const v = Float32Array.of(0.02, -0.125, 0.7, 0.31);
  const options = { out: 1, blocksPerRow: 4, reference: v.buffer };
  const verdict = pw.diagnose(v.map((value) => value + 1).buffer, 'F32', options);
  assert.equal(verdict.variant, 'differs by a constant 1.0');
  assert.equal(verdict.explained, 4);
});

test('diagnose: encodings without blocks need a reference and have one order', () => {
  const bytes = new Uint8Array(24);
  const options = { out: 2, blocksPerRow: 3 };
  for (const more of [{}, { reference: bytes, kernelOrder: true }]) {
    assert.throws(() => pw.diagnose(bytes, 'F32', { ...options, ...more }), {
      code: 'NOT_BLOCKED',
    });
  }
  assert.equal(pw.disagreement(bytes, 'F32', { ...options, reference: bytes }), null);
});

test('disagreement: views are compared where they are, whole and narrowed', () => {
  const scope = pw.scope();
  const bytes = new PseudoRandom(8).bytes(12 * 5 * 18);
  const view = pw.view(bytes, { encoding: 'Q4_0', shape: [12, 160], order: 'ROW_MAJOR', scope });
  const fed = view.prepack('INPUT_BLOCK_MAJOR', { scope });
  for (const reference of [bytes, view]) {
    assert.equal(pw.disagreement(fed, 'Q4_0', { reference }), null);
    assert.equal(pw.diagnose(view, 'Q4_0', { reference }).kind, 'agrees');
  }
  const part = view.narrow(1, 32, 64);
  assert.equal(pw.disagreement(part, 'Q4_0', { reference: part.bytes() }), null);
  assert.equal(pw.disagreement(part, 'Q4_0', { reference: view.narrow(1, 0, 64) }).misplaced, 24);
  const code = (call) => assert.throws(call, { code: 'INVALID_ARGUMENT' });
  code(() => pw.disagreement(view, 'Q8_0', { reference: bytes }));
  code(() => pw.disagreement(view, 'Q4_0', { reference: fed }));
  code(() => pw.disagreement(view, 'Q4_0', { reference: bytes, kernelOrder: true }));
  scope.close();
});

test('disagreement: big weights are compared in bands, and a last damaged byte is found', () => {
  const [out, blocksPerRow] = [1003, 64];
  const reference = new PseudoRandom(9).bytes(out * blocksPerRow * 18);
  const w = { out, blocksPerRow, blockBytes: 18, bytes: reference };
  const node = globalThis.Buffer;
  for (const kernel of [true, false]) {
    const options = { kernelOrder: kernel, out, blocksPerRow, reference };
    const bytes = kernel ? kernelOrder(w) : reference.slice();
    // Browsers have no Buffer.
    for (const buffer of [node, undefined]) {
      try {
        globalThis.Buffer = buffer;
        assert.equal(pw.disagreement(bytes, 'Q4_0', options), null);
        bytes[bytes.length - 1] ^= 1;
        const { flatIndex, misplaced } = pw.disagreement(bytes, 'Q4_0', options);
        assert.deepEqual([flatIndex, misplaced], [out * blocksPerRow - 1, 1]);
        bytes[bytes.length - 1] ^= 1;
      } finally {
        globalThis.Buffer = node;
      }
    }
  }
});

async function diagnoseFile(source, atLeast) {
  const file = await pw.openGguf(source);
  const quantized = file.tensors.filter(
    ({ encoding, shape }) => pw.encodings[encoding]?.blocked && shape.length === 2,
  );
  const seen = new Set(quantized.map(({ encoding }) => encoding));
  assert.ok(seen.size >= atLeast, `only ${[...seen]}`);
  const named = new Map();
  for (const { name, encoding, shape } of quantized) {
    const bytes = new Uint8Array(await file.bytes(name));
    diagnoseAll(named, { name, ...weight(encoding, shape[0], shape[1], bytes) });
  }
  for (const { kind } of mistakes) assert.ok(named.get(kind) > 0, `${kind} was never named`);
  await file.close();
}

function diagnoseAll(named, w) {
  const { encoding, out, blocksPerRow, bytes: reference } = w;
  const options = { kernelOrder: true, out, blocksPerRow, reference };
  const right = kernelOrder(w);
  assert.equal(pw.disagreement(right, encoding, options), null);
  for (const { name, kind, make } of mistakes) {
    const bytes = make(w);
    if (bytes === null) continue;
    const verdict = pw.diagnose(bytes, encoding, options);
    const label = `${w.name} ${encoding} ${out} x ${blocksPerRow}, ${name}: ${verdict.message}`;
    // One block per row: a relayout moves nothing, and forgetting it is no mistake.
    const harmless = Buffer.compare(bytes, right) === 0;
    assert.ok((harmless ? ['agrees'] : [kind, 'undetermined']).includes(verdict.kind), label);
    if (verdict.kind === kind) named.set(kind, (named.get(kind) ?? 0) + 1);
  }
}

function weight(encoding, out, inputDim, bytes) {
  const { bytes: blockBytes, elements } = pw.encodings[encoding];
  return { encoding, blockBytes, elements, out, blocksPerRow: inputDim / elements, bytes };
}

function placement(encoding) {
  const { elements } = pw.encodings[encoding];
  return weight(encoding, 4, 3 * elements, pw.fixtures.canonical(encoding));
}

function decodable(encoding) {
  const { bytes, out, inputDim } = pw.fixtures.decodable(encoding);
  return weight(encoding, out, inputDim, bytes);
}
