/**
 * What the package says of the built-in samples, asked when the page is built: their headers and tables. The
 * page then shows one before the part of the package is there that reads files.
 */
import { load } from 'packed-weights';
import { describeFile } from './src/worker/describe-file.js';
import { samples } from './src/worker/sample-weights.js';

const NAME = 'virtual:sample-headers';

/** @returns {Promise<Record<string, import('./src/worker/samples.js').SampleHeader>>} */
export async function sampleHeaders() {
  const pw = await load();
  const entries = Object.entries(samples).map(async ([id, tensors]) => {
    const metadata = { 'general.architecture': 'sample', 'general.quantization_version': 2 };
    const bytes = pw.writeGguf({ metadata, tensors: tensors() });
    const file = await pw.openGguf(bytes);
    const header = Buffer.from(bytes.subarray(0, file.dataStart)).toString('base64');
    return [id, { header, description: describeFile(pw, file) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The module `virtual:sample-headers`, for Vite. */
export function sampleHeadersPlugin() {
  return {
    name: 'sample-headers',
    resolveId: (/** @type {string} */ id) => (id === NAME ? `\0${NAME}` : null),
    load: async (/** @type {string} */ id) =>
      id === `\0${NAME}` ? `export default ${JSON.stringify(await sampleHeaders())};` : null,
  };
}
