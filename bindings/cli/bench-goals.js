/**
 * What the kernels must reach, in shares of what `calibrate()` measures in the same run.
 * The int8 GEMV in kernel order has a goal per encoding; other kernels have one for all.
 * @type {Record<string, Record<string, number>>}
 */
export const gemvGoals = {
  simd128: {
    Q4_0: 0.36,
    Q4_1: 0.36,
    Q5_0: 0.27,
    Q5_1: 0.27,
    Q8_0: 0.36,
    Q2_K: 0.32,
    Q3_K: 0.26,
    Q4_K: 0.38,
    Q5_K: 0.3,
    Q6_K: 0.25,
    TQ1_0: 0.28,
    TQ2_0: 0.54,
    IQ4_NL: 0.24,
    IQ4_XS: 0.24,
    MXFP4: 0.24,
  },
  relaxed: {
    Q4_0: 0.33,
    Q4_1: 0.33,
    Q5_0: 0.22,
    Q5_1: 0.22,
    Q8_0: 0.27,
    Q2_K: 0.3,
    Q3_K: 0.24,
    Q4_K: 0.33,
    Q5_K: 0.26,
    Q6_K: 0.2,
    TQ1_0: 0.24,
    TQ2_0: 0.53,
    IQ4_NL: 0.23,
    IQ4_XS: 0.23,
    MXFP4: 0.23,
  },
};

/** Below this share of its goal a kernel is not done. */
export const tolerance = 0.8;

/**
 * @param {{ isa: string, encoding: string, order: string, activation: string, n: number }} run
 * @returns {number | null} share of dotCeiling, null where there is no goal
 */
export function goalOf({ isa, encoding, order, activation, n }) {
  const gemv = gemvGoals[isa]?.[encoding];
  if (gemv === undefined) return null;
  if (activation === 'f32') {
    if (isa !== 'simd128') return null;
    return n === 1 ? 0.12 : n >= 32 ? 0.2 : null;
  }
  if (n >= 32) return 0.65;
  if (n !== 1) return null;
  return order === 'INPUT_BLOCK_MAJOR' ? gemv : 0.75 * gemv;
}
