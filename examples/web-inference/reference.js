// The same layer as the formula says it: weights decoded to f32, two loops, double precision.
import { advance } from './lstm.js';

/** @param {import('packed-weights').PackedWeights} pw @param {import('packed-weights').GgufFile} file */
export async function readReference(pw, file, names) {
  const decoded = async (name) =>
    pw.decode(await file.bytes(name), file.tensors.find((tensor) => tensor.name === name).encoding);
  const [input, recurrent] = [await decoded(names.input), await decoded(names.recurrent)];
  const bias = await decoded(names.bias);
  const hidden = new Float64Array(recurrent.length / bias.length);
  const cell = new Float64Array(hidden.length);
  return {
    hidden,
    step(x) {
      const sums = Array.from(
        bias,
        (value, o) => value + dot(input, o, x) + dot(recurrent, o, hidden),
      );
      advance(sums, hidden, cell);
    },
  };
}

/** Row o of a weight [out, in] times x [in]. */
function dot(weight, o, x) {
  let sum = 0;
  for (let i = 0; i < x.length; ++i) sum += weight[o * x.length + i] * x[i];
  return sum;
}
