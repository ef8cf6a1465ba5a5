/** Numbers that are the same on every machine and in every run. */
export class PseudoRandom {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit) {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  bytes(count) {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }

  /** Values about as activations are: small, of both signs. */
  floats(count) {
    return Float32Array.from({ length: count }, () => (this.below(2001) - 1000) / 500);
  }
}
