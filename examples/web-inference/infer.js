// What the page and the command have in common: read, run, compare.
import { load } from 'packed-weights';
import { featuresOf, FRAME, generateAudio, SAMPLE_RATE } from './features.js';
import { Lstm, SILERO } from './lstm.js';
import { readReference } from './reference.js';

/**
 * @param {File | Blob | URL | string} source a GGUF file
 * @param {(share: number) => void} onProgress
 * @returns what to tell: frames, largest difference from the reference, time per frame, times real time
 */
export async function infer(source, onProgress) {
  const pw = await load();
  const file = await pw.openGguf(source);
  const lstm = await Lstm.read(pw, file, SILERO, onProgress);
  const reference = await readReference(pw, file, SILERO);
  await file.close();

  const frames = featuresOf(generateAudio(10));
  let largest = 0;
  for (const x of frames) {
    lstm.step(x);
    reference.step(x);
    lstm.hidden.forEach((value, j) => {
      const difference = Math.abs(value - reference.hidden[j]);
      // Not a number is as wrong as can be.
      largest = difference >= 0 ? Math.max(largest, difference) : Infinity;
    });
  }
  // Clocks of browsers tick in milliseconds: all frames at once.
  const passes = Array.from({ length: 5 }, () => {
    const start = performance.now();
    for (const x of frames) lstm.step(x);
    return performance.now() - start;
  });
  lstm.dispose();
  const perFrame = Math.min(...passes) / frames.length;
  const realTime = ((FRAME / SAMPLE_RATE) * 1000) / perFrame;
  return {
    isa: pw.isa,
    frames: frames.length,
    hidden: [...lstm.hidden],
    largest,
    perFrame,
    realTime,
  };
}

/** In words. @param {Awaited<ReturnType<typeof infer>>} result */
export function describe({ isa, frames, largest, perFrame, realTime }) {
  const verdict = largest <= 1e-4 ? 'agrees with the reference' : 'DISAGREES with the reference';
  return [
    `${frames} frames of audio: ${verdict} (largest difference ${largest.toExponential(1)})`,
    `${(perFrame * 1000).toFixed(0)} µs per frame with ${isa} kernels: ${realTime.toFixed(0)} times real time`,
  ].join('\n');
}
