/**
 * general.file_type of llama.cpp: the number for a file most of whose weights are of one encoding. Where there
 * are several mixtures of one encoding, the purest ("S").
 */
const numbers = /** @type {Record<string, number>} */ ({
  F32: 0,
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q8_0: 7,
  Q5_0: 8,
  Q5_1: 9,
  Q2_K: 10,
  Q3_K: 11,
  Q4_K: 14,
  Q5_K: 16,
  Q6_K: 18,
  IQ4_NL: 25,
  IQ4_XS: 30,
  BF16: 32,
  TQ1_0: 36,
  TQ2_0: 37,
  MXFP4: 38,
});

/**
 * What general.file_type is to be for these tensors; null when there is no number for what most are.
 * @param {{ encoding: string, values: number }[]} tensors
 * @returns {{ encoding: string, number: number | null }}
 */
export function fileTypeOf(tensors) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { encoding, values } of tensors)
    sums.set(encoding, (sums.get(encoding) ?? 0) + values);
  const [encoding] = [...sums].reduce((most, each) => (each[1] > most[1] ? each : most));
  return { encoding, number: numbers[encoding] ?? null };
}
