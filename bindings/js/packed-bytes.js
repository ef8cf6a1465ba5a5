/**
 * Bytes of one weight that know what they are: `bytes` in `order`, blocks of `encoding`, a grid of
 * `out` x `blocksPerRow`. Made by `pw.pack`, converted by `pw.toKernelOrder` and `pw.toCanonicalOrder`,
 * which give the same object back when its order is right already, so that no number of calls scrambles.
 */
export class PackedBytes {
  static name = 'PackedBytes';

  /**
   * @internal
   * @param {{ bytes: Uint8Array, encoding: string, out: number, inputDim: number, blocksPerRow: number,
   *   order: import('./arguments.js').BlockOrder }} fields
   */
  constructor({ bytes, encoding, out, inputDim, blocksPerRow, order }) {
    /** @readonly */
    this.bytes = bytes;
    /** @readonly */
    this.encoding = encoding;
    /** @readonly Rows: outputs of the weight. */
    this.out = out;
    /** @readonly Values per row. */
    this.inputDim = inputDim;
    /** @readonly */
    this.blocksPerRow = blocksPerRow;
    /** @readonly */
    this.order = order;
    Object.freeze(this);
  }
}
