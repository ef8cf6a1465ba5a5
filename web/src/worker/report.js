/** The library's own validator over the opened file. */
import { library } from './library.js';
import { source } from './source.js';

/**
 * @param {{ profile: 'spec' | 'llama', tensorData: boolean }} how
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 */
export async function validateOpened({ profile, tensorData }, signal, onProgress) {
  const pw = await library();
  const { shards } = source();
  const total = shards.reduce((sum, { file }) => sum + file.size, 0);
  const start = performance.now();
  const { findings, tensorsChecked, bytesChecked, ok } = await pw.validate(shards.length === 1 ? shards[0].from : shards.map(({ from }) => from), {
    profile,
    tensorData,
    signal,
    onProgress: (p) => onProgress(p?.bytesRead ?? 0, p?.totalBytes ?? total),
  });
  return {
    profile,
    tensorData,
    ok,
    tensorsChecked,
    bytesChecked: Number(bytesChecked),
    millis: performance.now() - start,
    findings: findings.map(({ rule, severity, message, offset, tensor, o, b }) => ({
      rule,
      severity,
      message,
      offset: offset === undefined || offset === null ? null : Number(offset),
      tensor: tensor ?? null,
      o: o ?? null,
      b: b ?? null,
    })),
  };
}
