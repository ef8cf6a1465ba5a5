// The whole way of a weight, on a made file that has every encoding and on real ones where they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { PseudoRandom } from '../support/pseudo-random.js';
import { sharedFile } from '../support/shared.js';
import { blockedEncodings, finiteWeight, sameBits } from '../support/weights.js';

const pw = await load();

test('real weights: every encoding, in a file made here, goes the whole way', async () => {
  const tensors = blockedEncodings(pw).map((encoding) => {
    const { bytes, out, inputDim } = finiteWeight(pw, encoding, 6, 4, encoding.length);
    return { name: `${encoding}.weight`, encoding, shape: [out, inputDim], bytes };
  });
  const metadata = { 'general.architecture': 'test' };
  assert.equal(await wholeWay(pw.writeGguf({ metadata, tensors })), tensors.length);
});

const silero = sharedFile('gguf/silero-vad.gguf');
test(
  'real weights: those of silero-vad.gguf go the whole way',
  { skip: silero ? false : 'the file is not here' },
  async () => {
    assert.ok((await wholeWay(silero)) >= 6);
  },
);

const dummies = ['dummy.gguf', 'dummy-4d.gguf', 'dummy-00002-of-00002.gguf'].map((name) =>
  sharedFile(`gguf/${name}`),
);
test(
  'real weights: plain tensors of one to four dimensions are read as they are stored',
  { skip: dummies.includes(null) ? 'the files are not here' : false },
  async () => {
    for (const path of dummies) {
      const file = await pw.openGguf(path);
      assert.equal(file.tensors.length, 10);
      for (const tensor of file.tensors) {
        const bytes = await file.bytes(tensor.name);
        const view = await file.view(tensor.name, { weightForm: { shape: 'OUT_IN' } });
        assert.deepEqual(view.shape, [...tensor.ne].reverse());
        assert.ok(sameBits(view.toFloats(), new Float32Array(bytes.slice().buffer)), tensor.name);
        assert.equal(view.get(...view.shape.map((size) => size - 1)), view.toFloats().at(-1));
        view.dispose();
      }
      await file.close();
    }
  },
);

/** How many quantized tensors of the file went the whole way. */
async function wholeWay(source) {
  const file = await pw.openGguf(source);
  const random = new PseudoRandom(3);
  let count = 0;
  for (const tensor of file.tensors) {
    if (tensor.shape.length !== 2 || !pw.encodings[tensor.encoding].blocked) continue;
    count += 1;
    await oneWeight(file, tensor, random);
  }
  await file.close();
  return count;
}

async function oneWeight(file, { name, encoding, shape, blocksPerRow }, random) {
  const [out, inputDim] = shape;
  const scope = pw.scope({ name });
  const trace = pw.trace();
  const reference = await file.bytes(name);
  const stored = await file.view(name, { weightForm: { shape: 'OUT_IN' }, scope, sink: trace });
  assert.deepEqual(stored.shape, shape);
  const fast = pw.prepackForMatmul(stored, { scope, sink: trace });

  const values = stored.toFloats();
  assert.ok(sameBits(values, pw.decode(reference, encoding)), name);
  assert.ok(sameBits(fast.toFloats(), values), name);
  for (let i = 0; i < 50; ++i) {
    const at = [random.below(out), random.below(inputDim)];
    assert.ok(Object.is(fast.get(...at), stored.get(...at)), `${name} at ${at}`);
    assert.ok(Object.is(stored.get(...at), values[at[0] * inputDim + at[1]]), `${name} at ${at}`);
  }

  assert.deepEqual(Buffer.compare(pw.toCanonical(fast, { scope }).bytes(), reference), 0, name);
  const fed = await file.view(name, {
    weightForm: { shape: 'OUT_IN', order: 'KERNEL_FEED' },
    scope,
  });
  assert.deepEqual(Buffer.compare(fed.bytes(), fast.bytes()), 0, name);

  const grid = { out, blocksPerRow, reference };
  assert.equal(pw.disagreement(fast.bytes(), encoding, { ...grid, kernelOrder: true }), null);
  assert.equal(pw.disagreement(reference, encoding, { ...grid, kernelOrder: false }), null);
  if (out > 1 && blocksPerRow > 1) {
    const wrong = pw.disagreement(fast.bytes(), encoding, { ...grid, kernelOrder: false });
    const flat = firstDifference(fast.bytes(), reference, pw.encodings[encoding].bytes);
    const first = [Math.floor(flat / blocksPerRow), flat % blocksPerRow];
    assert.deepEqual([wrong.o, wrong.b, wrong.flatIndex], [...first, flat], wrong.message);
    // Unless two of its blocks are equal, the first one out of place is (0,1).
    if (file.name.endsWith('.gguf')) assert.deepEqual(first, [0, 1]);
    assert.notEqual(pw.disagreement(reference, encoding, { ...grid, kernelOrder: true }), null);
  }

  const x = random.floats(inputDim);
  const [inRows, inKernelOrder] = [stored, fast].map((view) => pw.matmul(x, view));
  assert.ok(sameBits(inRows, inKernelOrder), name);
  assert.ok(
    sameBits(
      pw.matmul(x, stored, { activation: 'int8' }),
      pw.matmul(x, fast, { activation: 'int8' }),
    ),
    name,
  );
  for (let o = 0; o < out; ++o) {
    let sum = 0;
    let size = 0;
    for (let i = 0; i < inputDim; ++i) {
      sum += values[o * inputDim + i] * x[i];
      size += Math.abs(values[o * inputDim + i] * x[i]);
    }
    assert.ok(
      Math.abs(inRows[o] - sum) <= 1e-5 * size + 1e-30,
      `${name} row ${o}: ${inRows[o]} ${sum}`,
    );
  }
  scope.close();
}

/** The first block, in memory, in which two weights differ. */
function firstDifference(a, b, size) {
  for (let at = 0; at < a.length; at += size) {
    if (Buffer.compare(a.subarray(at, at + size), b.subarray(at, at + size)) !== 0)
      return at / size;
  }
  return -1;
}
