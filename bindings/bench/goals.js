/**
 * What should be reached, as shares of what is measured in the same run. The int8 GEMV in kernel order
 * has a goal per encoding; everything else has one rule for all.
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

/** Below this share of its goal something is not done. */
export const tolerance = 0.8;

/** Blocks beyond any cache: from here on 0.9 of the goal is the goal. */
const beyondCaches = 8192 * 8192;

/**
 * Of dotCeiling. Two and three columns are held to the cost of one instead: see columnsGoal.
 * @param {MatmulRun} run
 * @param {number} room of `roomBesideProducts`: goals are for a processor that has all of it
 * @returns {number | null} null where there is no goal
 */
export function matmulGoal(run, room) {
  const goal = fullGoal(run);
  return goal === null ? null : goal * room;
}

/**
 * @typedef {{ isa: string, encoding: string, order: string, activation: string, out: number, inputDim: number, n: number }} MatmulRun
 * @param {MatmulRun} run
 * @returns {number | null}
 */
function fullGoal({ isa, encoding, order, activation, out, inputDim, n }) {
  if (isa === 'scalar') return null;
  if (activation === 'f32') {
    // Stated for the encodings that have kernels of their own.
    if (n === 1 && /^(IQ[123]_|Q8_1$|Q8_K$)/.test(encoding)) return null;
    // The same kernels in both modules; the relaxed one is held against twice the products a dot.
    const halved = isa === 'relaxed' ? 0.5 : 1;
    return n === 1 ? 0.12 * halved : n >= 32 ? 0.2 * halved : null;
  }
  if (n >= 32) return 0.65;
  const gemv = gemvGoals[isa]?.[encoding];
  if (n !== 1 || gemv === undefined) return null;
  const share = order === 'INPUT_BLOCK_MAJOR' ? gemv : 0.75 * gemv;
  return out * inputDim >= beyondCaches ? 0.9 * share : share;
}

/** Two or three columns take at most one and a half times as long as one: share of as many single ones. */
export const columnsGoal = 1 / 1.5;

/**
 * Of a copy of as many bytes.
 * @param {{ blockBytes: number, out: number, inputDim: number }} run
 */
export function relayoutGoal({ blockBytes, out, inputDim }) {
  // Stated for these sizes; smaller weights stay in a cache, where a copy is several times as fast.
  if (out * inputDim >= beyondCaches) return blockBytes >= 128 ? 0.55 : 0.33;
  if (out * inputDim >= 4096 * 4096) return blockBytes >= 128 ? 0.8 : 0.5;
  return null;
}

/** Of the relayout into other memory: in place at most four times its cost. */
export const inPlaceGoal = 0.25;

/** Of streamRead, over the bytes of both weights. */
export const disagreementGoal = 0.6;

/**
 * In 10^9 bytes of values a second.
 * @param {string} encoding
 */
export function decodeGoal(encoding) {
  return /^IQ[123]_/.test(encoding) ? 0.4 : 1.5;
}

/**
 * In 10^9 bytes of values a second.
 * @param {string} encoding
 * @returns {number | null}
 */
export function quantizeGoal(encoding) {
  if (encoding === 'Q8_0' || encoding === 'Q4_0') return 0.5;
  return encoding.endsWith('_K') ? 0.02 : null;
}

/**
 * 200 ms for a weight of 4096 x 4096, as 10^9 bytes a second of both weights; smaller ones have no goal.
 * @param {{ out: number, inputDim: number, size: number }} weight
 * @returns {number | null}
 */
export function diagnoseGoal({ out, inputDim, size }) {
  return out * inputDim === 4096 * 4096 ? (2 * size) / 200 / 1e6 : null;
}

/**
 * For NaN and infinity, in 10^9 packed bytes a second.
 * @param {string} encoding
 * @returns {number | null}
 */
export function scanGoal(encoding) {
  return encoding === 'Q4_K' ? 2 : null;
}
