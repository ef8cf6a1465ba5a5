/** Multiplications after which the kernels are checked again, and then each time there were ten times as many. */
const first = 100;

/**
 * Which kernels run and why. Engines compile again what runs often, and an optimizing tier has computed
 * other values than the baseline one that the check at loading met: so the relaxed kernels are compared with the
 * scalar ones again (some two milliseconds). Where they differ by then, they are not used any longer: int8
 * multiplications run scalar kernels, which are slow, and loading `simd128` is the cure.
 */
export class RepeatedCheck {
  #core;
  #reason;
  #runs = 0;
  #next;

  /**
   * @param {{ selfCheck: () => string, limitKernels: (isa: string) => void }} core
   * @param {import('./load.js').Isa} isa
   * @param {string} isaReason
   */
  constructor(core, isa, isaReason) {
    this.#core = core;
    this.#reason = isaReason;
    this.#next = isa === 'relaxed' ? first : Infinity;
    this.isa = isa;
    this.isaReason = isaReason;
  }

  /** To be called before each multiplication. */
  count() {
    if (++this.#runs < this.#next) return;
    const wrong = this.#core.selfCheck();
    if (wrong === '') {
      this.isaReason = `${this.#reason}, and again before multiplication ${this.#runs}`;
      this.#next *= 10;
      return;
    }
    this.#core.limitKernels('simd128');
    this.#next = Infinity;
    this.isa = 'simd128';
    this.isaReason = `relaxed kernels compute wrong values since multiplication ${this.#runs}: ${wrong}`;
  }
}
