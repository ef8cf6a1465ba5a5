// What quantize says was lost is what differs between the values of its input and those of its output.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { load } from 'packed-weights';
import { commandIn } from '../support/command-line.js';

const pw = await load();
const folder = mkdtempSync(join(tmpdir(), 'packed-loss-'));
after(() => rmSync(folder, { recursive: true }));
const packedWeights = commandIn(folder);

const [inputDim, rows] = [256, 4];
const bytesOf = ({ buffer }) => new Uint8Array(buffer);
/** Tensors of one file, each the same values times a scale. */
function write(name, encoding, scales, valueOf) {
  const tensors = scales.map((scale) => {
    const values = Float64Array.from({ length: inputDim * rows }, (_, i) => valueOf(i) * scale);
    const bytes = bytesOf(encoding === 'F64' ? values : Float32Array.from(values));
    return { name: `times ${scale}`, encoding, ne: [inputDim, rows], bytes };
  });
  writeFileSync(join(folder, name), pw.writeGguf({ tensors }));
}

/** The numbers of a row of the report, as text. */
function reported(stdout, tensor) {
  const line = stdout.split('\n').find((each) => each.startsWith(`${tensor} `));
  assert.ok(line, stdout);
  return line.slice(tensor.length).trim().split(/ +/).slice(2);
}

async function lossOf(tensor, encoding, scale) {
  const before = await pw.openGguf(join(folder, 'in.gguf'));
  const after = await pw.openGguf(join(folder, 'out.gguf'));
  const stored = await before.bytes(tensor);
  const Values = encoding === 'F64' ? Float64Array : Float32Array;
  const values = new Values(stored.slice().buffer);
  const { encoding: to } = after.tensor(tensor);
  const became = pw.decode(await after.bytes(tensor), to);
  await before.close();
  await after.close();
  const sums = { size: 0, error: 0, most: 0 };
  values.forEach((value, i) => {
    const error = Math.abs(value - became[i]);
    // Where their squares fit.
    sums.size += (value / scale) ** 2;
    sums.error += (error / scale) ** 2;
    sums.most = Math.max(sums.most, error);
  });
  return [Math.sqrt(sums.error / sums.size), sums.most];
}

for (const [encoding, scales] of [
  ['F64', [1e-300, 1e-160, 1e-44, 1e-8, 1, 1e4, 1e30]],
  ['F32', [1e-44, 1e-8, 1, 1e4, 1e30]],
]) {
  for (const to of ['F32', 'BF16', 'Q8_0', 'Q4_K']) {
    if (to === encoding) continue;
    test(`quantize: ${encoding} to ${to}: the loss is that of the values as they are stored`, async () => {
      const fitting = to === 'Q8_0' || to === 'Q4_K' ? scales.filter((x) => x < 1e9) : scales;
      write('in.gguf', encoding, fitting, (i) => Math.PI * (i % 97) - 100);
      const words = ['quantize', 'in.gguf', '--to', to, '-o', 'out.gguf'];
      const { status, stdout, stderr } = packedWeights(...words);
      assert.equal(status, 0, stderr);
      for (const scale of fitting) {
        const tensor = `times ${scale}`;
        const found = reported(stdout, tensor).map(Number);
        const expected = await lossOf(tensor, encoding, scale);
        found.forEach((number, i) => {
          const apart = Math.abs(number - expected[i]);
          assert.ok(apart <= 1e-3 * expected[i], `${tensor}: ${found}, not ${expected}`);
        });
      }
    });
  }
}

test('quantize: values that stay what they are have lost 0', () => {
  write('in.gguf', 'F64', [1, 0], (i) => (i % 17) - 8);
  for (const to of ['F32', 'F16']) {
    const { stdout } = packedWeights('quantize', 'in.gguf', '--to', to, '-o', 'out.gguf');
    for (const scale of [1, 0]) assert.deepEqual(reported(stdout, `times ${scale}`), ['0', '0']);
  }
});

test('quantize: of F64, what F32 cannot hold is OUT_OF_RANGE, what is no finite number is called that', () => {
  for (const [value, code, name] of [
    [1e300, 'OUT_OF_RANGE', '1e+300'],
    [-3.5e38, 'OUT_OF_RANGE', '-3.5e+38'],
    [Infinity, 'ELEMENT_NOT_FINITE', 'Infinity'],
    [NaN, 'ELEMENT_NOT_FINITE', 'NaN'],
  ]) {
    write('in.gguf', 'F64', [1], (i) => (i === 300 ? value : 1));
    const words = ['quantize', 'in.gguf', '--to', 'Q8_0', '-o', 'none.gguf'];
    const { status, stderr } = packedWeights(...words);
    assert.equal(status, 2);
    const says = `${code}: times 1: element 300 (row 1, input 44) is ${name}`;
    assert.ok(stderr.startsWith(says), stderr);
  }
});
