// The recurrent layer of a voice-activity detector: an LSTM whose two weights stay quantized, in kernel order.

/**
 * @typedef {object} Names of the layer's tensors in the file
 * @property {string} input [4 x hidden, in]
 * @property {string} recurrent [4 x hidden, hidden]
 * @property {string} bias [4 x hidden]
 */

/** @type {Names} */
export const SILERO = {
  input: 'decoder.rnn.weight_ih',
  recurrent: 'decoder.rnn.weight_hh',
  bias: 'decoder.rnn.bias_ih',
};

export class Lstm {
  #session;
  #scope;
  #weights;
  #gates;

  /**
   * Reads the weights; the blocks are put in kernel order while they arrive.
   * @param {import('packed-weights').PackedWeights} pw
   * @param {import('packed-weights').GgufFile} file
   * @param {Names} names
   * @param {(share: number) => void} onProgress from 0 to 1
   */
  static async read(pw, file, names, onProgress) {
    const scope = pw.scope({ name: 'lstm' });
    const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
    const weights = [];
    for (const [i, name] of [names.input, names.recurrent].entries()) {
      const ofThis = ({ bytesRead, totalBytes }) => onProgress((i + bytesRead / totalBytes) / 2);
      weights.push(await file.view(name, { weightForm, scope, onProgress: ofThis }));
    }
    const bias = pw.decode(await file.bytes(names.bias), 'F32');
    return new Lstm(pw.session(), scope, weights, bias);
  }

  constructor(session, scope, [input, recurrent], bias) {
    this.#session = session;
    this.#scope = scope;
    this.#weights = { input, recurrent, bias };
    const [rows, hidden] = recurrent.shape;
    this.#gates = { input: new Float32Array(rows), recurrent: new Float32Array(rows) };
    this.hidden = new Float32Array(hidden);
    this.cell = new Float32Array(hidden);
  }

  /** One frame: changes `hidden` and `cell`. @param {Float32Array} x [in] */
  step(x) {
    const { input, recurrent, bias } = this.#weights;
    const gates = this.#gates;
    this.#session.matmulWeightTransposed(x, input, { into: gates.input });
    this.#session.matmulWeightTransposed(this.hidden, recurrent, { into: gates.recurrent });
    const sums = gates.input.map((value, i) => value + gates.recurrent[i] + bias[i]);
    advance(sums, this.hidden, this.cell);
  }

  dispose() {
    this.#session.dispose();
    this.#scope.close();
  }
}

const sigmoid = (value) => 1 / (1 + Math.exp(-value));

/**
 * What an LSTM makes of the sums of its four gates: input, forget, candidate, output.
 * @param {ArrayLike<number>} sums [4 x hidden]
 */
export function advance(sums, hidden, cell) {
  const n = hidden.length;
  for (let j = 0; j < n; ++j) {
    const [i, f, g, o] = [sums[j], sums[n + j], sums[2 * n + j], sums[3 * n + j]];
    cell[j] = sigmoid(f) * cell[j] + sigmoid(i) * Math.tanh(g);
    hidden[j] = sigmoid(o) * Math.tanh(cell[j]);
  }
}
