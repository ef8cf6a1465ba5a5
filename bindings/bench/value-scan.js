import { PackedWeights } from 'packed-weights';

/**
 * The validator over a file of one tensor, as `check` runs it: the header, then every byte of the tensor,
 * for NaN and infinity.
 * @param {{ pw: PackedWeights, encoding: string, out: number, inputDim: number, canonical: number, size: number,
 *   room: import('./memory-room.js').MemoryRoom }} weight `canonical` is the address of its bytes
 * @returns {() => void}
 */
export function makeScan({ pw, encoding, out, inputDim, canonical, size, room }) {
  const { core } = PackedWeights.contextOf(pw);
  const tensors = [{ name: 'weight', encoding, ne: [inputDim, out] }];
  const { header } = core.planGguf([], tensors, 32);
  const headerAt = room.put(header);
  const fileSize = header.length + size;
  return () => {
    const validator = core.makeValidator(fileSize, 'spec', true, 'bench.gguf', false);
    try {
      while (!validator.done()) {
        const offset = validator.wantedOffset();
        const inHeader = offset < header.length;
        const address = inHeader ? headerAt + offset : canonical + offset - header.length;
        const left = (inHeader ? header.length : fileSize) - offset;
        validator.feedFrom(address, Math.min(validator.wantedLength(), left));
      }
      const { findings } = validator.finish();
      const damage = findings.find((/** @type {any} */ finding) => finding.severity === 'error');
      if (damage) throw new Error(`The scan found what is not there: ${damage.message}`);
    } finally {
      validator.delete();
    }
  };
}
