/** The library's own validator over the opened file. */
import { library } from './library.js';
import { checkable } from './source.js';

/**
 * @param {{ profile: 'spec' | 'llama', tensorData: boolean }} how
 * @param {AbortSignal} signal
 * @param {(done: number, total: number) => void} onProgress
 */
export async function validateOpened({ profile, tensorData }, signal, onProgress) {
  const pw = await library();
  const { name, from } = checkable();
  let [done, last, size] = [0, 0, 0];
  const start = performance.now();
  const { findings, tensorsChecked, bytesChecked, ok } = await pw.validate(
    from.length === 1 ? from[0] : from,
    {
      profile,
      tensorData,
      signal,
      onProgress({ bytesRead, totalBytes }) {
        // Shards come one after the other, each counted from 0.
        if (bytesRead < last) done += size;
        [last, size] = [bytesRead, totalBytes];
        onProgress(done + bytesRead, done + totalBytes);
      },
    },
  );
  return {
    name,
    profile,
    tensorData,
    ok,
    tensorsChecked,
    bytesChecked: Number(bytesChecked),
    millis: performance.now() - start,
    findings: findings.map(({ rule, severity, message, offset, tensor, o, b, count, file }) => ({
      rule,
      severity,
      message,
      offset: offset === undefined || offset === null ? null : Number(offset),
      tensor: tensor ?? null,
      o: o ?? null,
      b: b ?? null,
      count,
      file: file ?? null,
    })),
  };
}
