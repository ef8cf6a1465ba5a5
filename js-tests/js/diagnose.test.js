import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'packed-weights';
import { kernelOrder, mistakes } from '../support/damage.js';
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
