/** The square root of a sum of squares, any of which may be too small or too large for a double. */
export class Norm {
  #scale = 0;
  #sum = 0;

  /** @param {number} value finite */
  add(value) {
    const size = Math.abs(value);
    if (size === 0) return;
    if (size > this.#scale) {
      this.#sum = 1 + this.#sum * (this.#scale / size) ** 2;
      this.#scale = size;
    } else {
      this.#sum += (size / this.#scale) ** 2;
    }
  }

  /** @param {Norm} other how many times as large this is, 0 where the other is 0 */
  over(other) {
    if (other.#scale === 0) return 0;
    return (this.#scale / other.#scale) * Math.sqrt(this.#sum / other.#sum);
  }
}
