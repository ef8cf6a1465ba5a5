// What is called in the middle of something else, or with what belongs to another library: refused by name, and
// what was under way comes out as if nothing had happened.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { load } from 'packed-weights';
import { honest, serveBytes } from '../support/odd-servers.js';
import { finiteWeight } from '../support/weights.js';

const pw = await load();
const other = await load({ isa: 'scalar' });
const folder = mkdtempSync(join(tmpdir(), 'packed-between-'));
after(() => rmSync(folder, { recursive: true }));

const packed = finiteWeight(pw, 'Q4_K', 5, 3);
const x = new Float32Array(2 * packed.inputDim).map((_, i) => Math.sin(i));
const loud = new Float32Array(2 * packed.inputDim).fill(100);
const trits = pw.ternary.encode(new Float32Array(512).fill(1), 'BITNET_B1_58').bytes;
const ones = new Float32Array(256).fill(1);
const { bytes, encoding, out, inputDim } = packed;
const gguf = pw.writeGguf({ tensors: [{ name: 'w', encoding, shape: [out, inputDim], bytes }] });

/** All that works in the module's memory or lets go of it, on things of `library`. */
function callsOf(library) {
  const scope = library.scope({ name: 'owner' });
  const view = library.view(packed, { scope });
  const owner = library.view(packed);
  const session = library.session();
  session.matmulWeightTransposed(x, view);
  const weight = library.ternary.weight(trits, {
    out: 2,
    inputDim: 256,
    order: 'ROW_MAJOR',
    scope,
  });
  return {
    matmul: () => library.matmul(loud, view),
    'matmulWeightTransposed of a session': () => session.matmulWeightTransposed(loud, view),
    bitnetGemv: () => library.bitnetGemv(new Float32Array(256).fill(9), weight),
    prepackInPlace: () => owner.prepackInPlace('INPUT_BLOCK_MAJOR'),
    prepack: () => view.prepack('INPUT_BLOCK_MAJOR'),
    dequantize: () => view.dequantize(),
    view: () => library.view(packed, { scope }),
    writeInto: () => library.writeInto(view, 0, new Uint8Array(bytes.length)),
    decode: () => library.decode(bytes, encoding),
    quantize: () => library.quantize(ones, 'Q4_K', { inputDim: 256 }),
    disagreement: () =>
      library.disagreement(bytes, encoding, { out, blocksPerRow: 3, reference: bytes }),
    'clear of a session': () => session.clear(),
    'dispose of a view': () => owner.dispose(),
    'dispose of a session': () => session.dispose(),
    'dispose of a ternary weight': () => weight.dispose(),
    'reset of a scope': () => scope.reset(),
    'close of a scope': () => scope.close(),
  };
}

/** Whatever tells a sink of events, and what it comes to. */
function tellingOf(sink) {
  const scope = pw.scope({ sink });
  const view = pw.view(packed);
  const session = pw.session({ sink });
  const adapting = { activation: 'int8', prepackWeights: true, scope, sink };
  const what = { out: 2, inputDim: 256, order: 'ROW_MAJOR', scope };
  return {
    'matmul, f32': () => pw.matmul(x, view, { sink }),
    'matmul, int8': () => pw.matmul(x, view, { activation: 'int8', sink }),
    'matmul that may prepack': () => pw.matmul(x, pw.view(packed, { scope }), adapting),
    'matmul of a part of the columns': () =>
      pw.matmul(x.subarray(0, 256), view.narrow(1, 256, 256), { sink }),
    session: () => session.matmulWeightTransposed(x, view),
    bitnetGemv: () => pw.bitnetGemv(ones, pw.ternary.weight(trits, what), { sink }),
    prepack: () => view.prepack('INPUT_BLOCK_MAJOR', { scope, sink }).bytes(),
    dequantize: () => view.dequantize({ scope, sink }).toFloats(),
    'reset of a scope': () => (scope.reset(), scope.bytes),
  };
}

for (const name of Object.keys(tellingOf())) {
  test(`sinks: during ${name} the library is not called, and the result is the same`, () => {
    const calls = Object.entries(callsOf(pw));
    const view = pw.view(packed);
    const first = view.get(0, 0);
    let told = 0;
    let wrong = [];
    const sink = () => {
      ++told;
      for (const [called, call] of calls) {
        try {
          call();
          wrong.push(`${called} was not refused`);
        } catch ({ code, message }) {
          if (code !== 'CALLED_FROM_SINK') wrong.push(`${called}: ${message}`);
        }
      }
      // Looking changes nothing.
      if (view.get(0, 0) !== first || view.shape[0] !== out) wrong.push('a view cannot be read');
    };
    const expected = tellingOf()[name]();
    assert.deepEqual(tellingOf(sink)[name](), expected);
    assert.ok(told > 0);
    assert.deepEqual(wrong, []);
    for (const [, call] of calls) call();
  });
}

test('sinks: one that waits before it calls may call', async () => {
  const view = pw.view(packed);
  const expected = pw.matmul(loud, view);
  let later;
  const result = pw.matmul(x, view, {
    sink: () => (later ??= Promise.resolve().then(() => pw.matmul(loud, view))),
  });
  assert.deepEqual(result, pw.matmul(x, view));
  assert.deepEqual(await later, expected);
});

test('libraries: a view, a scope or a weight of another load() is refused, whatever takes it', async () => {
  const scope = pw.scope({ name: 'owner' });
  const view = pw.view(packed, { scope });
  const own = other.view(packed);
  const file = await other.openGguf(gguf);
  const what = { out: 2, inputDim: 256, order: 'ROW_MAJOR' };
  const weight = pw.ternary.weight(trits, { ...what, scope });
  const ownWeight = other.ternary.weight(trits, { ...what, scope: other.scope() });
  const grid = { reference: bytes, out, blocksPerRow: 3 };
  const taking = {
    matmul: () => other.matmul(x, view),
    'matmul in a scope': () => other.matmul(x, own, { prepackWeights: true, scope }),
    session: () => other.session().matmulWeightTransposed(x, view),
    bitnetGemv: () => other.bitnetGemv(ones, weight),
    'bitnetGemv of a view': () => other.bitnetGemv(x.subarray(0, inputDim), view),
    prepackForMatmul: () => other.prepackForMatmul(view),
    'prepackForMatmul in a scope': () => other.prepackForMatmul(own, { scope }),
    toCanonical: () => other.toCanonical(view),
    transpose: () => other.transpose(view),
    explain: () => other.explain(view),
    writeInto: () => other.writeInto(view, 0, bytes),
    disagreement: () => other.disagreement(view, encoding, grid),
    diagnose: () => other.diagnose(view, encoding, grid),
    'a reference of disagreement': () =>
      other.disagreement(bytes, encoding, { ...grid, reference: view }),
    view: () => other.view(packed, { scope }),
    emptyView: () =>
      other.emptyView({ encoding, shape: [out, inputDim], order: 'ROW_MAJOR', scope }),
    'prepack in a scope': () => own.prepack('INPUT_BLOCK_MAJOR', { scope }),
    'dequantize in a scope': () => own.dequantize({ scope }),
    'ternary.weight in a scope': () => other.ternary.weight(trits, { ...what, scope }),
    'prepack of a ternary weight in a scope': () =>
      ownWeight.prepack('INPUT_BLOCK_MAJOR', { scope }),
    'view of a file in a scope': () => file.view('w', { scope }),
  };
  const before = scope.bytes;
  for (const [name, take] of Object.entries(taking)) {
    await assert.rejects(
      async () => take(),
      ({ code, message }) => {
        assert.equal(code, 'INVALID_ARGUMENT', `${name}: ${message}`);
        return /of another load\(\)|must be/.test(message);
      },
      name,
    );
  }
  assert.equal(scope.bytes, before);
  assert.deepEqual(view.bytes(), bytes);
});

test('files: nothing is read of one that has been closed, whatever it was opened from', async (t) => {
  const path = join(folder, 'w.gguf');
  writeFileSync(path, gguf);
  const server = await serveBytes(gguf, honest);
  t.after(server.close);
  let closed = 0;
  const source = {
    size: gguf.length,
    name: 'my own',
    read: (offset, length) => gguf.subarray(offset, offset + length),
    close: () => ++closed,
  };
  for (const from of [gguf, new Blob([gguf]), path, server.url, source]) {
    const file = await pw.openGguf(from);
    await file.bytes('w');
    const under = file.view('w').catch((error) => error);
    await file.close();
    await file[Symbol.asyncDispose]();
    const end = await under;
    assert.ok(['DISPOSED', 'IO_FAILED', undefined].includes(end.code), String(end));
    const closedFile = { code: 'DISPOSED', message: /has been closed: open it again/ };
    await assert.rejects(file.bytes('w'), closedFile);
    await assert.rejects(file.read(0, 4), closedFile);
    await assert.rejects(file.view('w'), closedFile);
    assert.equal(file.tensors.length, 1);
  }
  assert.equal(closed, 1);
});

test('memory: what is transferred after it was passed is refused by name when it is needed', async () => {
  const transferred = (array) => {
    structuredClone(array, { transfer: [array.buffer] });
    return array;
  };
  const lost = { code: 'INVALID_ARGUMENT', message: /was transferred/ };
  const tagged = pw.pack(bytes.slice(), packed);
  transferred(tagged.bytes);
  const view = pw.view(packed);
  const into = transferred(new Float32Array(2 * out));
  for (const call of [
    () => pw.toKernelOrder(tagged),
    () => pw.view(tagged),
    () => pw.matmul(transferred(x.slice()), view),
    () => pw.matmul(x, view, { into }),
    () => pw.quantize(transferred(ones.slice()), 'Q4_K', { inputDim: 256 }),
  ]) {
    assert.throws(call, lost);
  }
  const model = gguf.slice();
  const file = await pw.openGguf(model);
  transferred(model);
  await assert.rejects(file.bytes('w'), lost);
  await assert.rejects(file.view('w'), lost);
});
