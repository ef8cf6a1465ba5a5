/** Built-in files: the header as the package writes it, and weights that are made here. */
import headers from 'virtual:sample-headers';
import { sampleBytes, samples } from './sample-weights.js';

/** @typedef {ReturnType<typeof import('./describe-file.js').describeFile>} Description */
/** @typedef {{ header: string, description: Description }} SampleHeader */

/**
 * @param {string} id
 * @returns {{ from: File, description: Description }} the file, and what the package said of it
 */
export function sample(id) {
  if (!Object.hasOwn(samples, id)) {
    const error = new Error(
      `There is no sample "${id}"; there are ${Object.keys(samples).join(', ')}.`,
    );
    throw Object.assign(error, { code: 'NO_SAMPLE' });
  }
  const { description } = headers[id];
  const bytes = sampleBytes(headers[id], samples[id]());
  return { from: new File([bytes], `sample-${id}.gguf`), description };
}
