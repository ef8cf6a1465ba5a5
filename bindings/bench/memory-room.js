import { PackedError, PackedWeights } from 'packed-weights';

/** Memory of the module, for what is measured without copying in or out; all given back by close. */
export class MemoryRoom {
  /** @type {number[]} */
  #taken = [];
  #context;

  /** @param {PackedWeights} pw */
  constructor(pw) {
    this.#context = PackedWeights.contextOf(pw);
  }

  /**
   * @param {number} size in bytes
   * @returns {number} address
   */
  take(size) {
    const address = this.#context.core.heapAllocate(size);
    if (address === 0) {
      throw new PackedError(
        'OUT_OF_MEMORY',
        `No memory for ${size} bytes to measure with: choose a smaller shape`,
      );
    }
    this.#taken.push(address);
    return address;
  }

  /** @param {Uint8Array} bytes @returns {number} address of a copy */
  put(bytes) {
    const address = this.take(bytes.length);
    this.#context.heap.bytes(address, bytes.length).set(bytes);
    return address;
  }

  close() {
    for (const address of this.#taken) this.#context.core.heapFree(address);
    this.#taken = [];
  }
}
