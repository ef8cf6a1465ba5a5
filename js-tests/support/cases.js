/** The small malformed files of native-tests/cases/gguf, each with the verdict that is expected of it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../native-tests/cases/gguf/', import.meta.url));

/** @type {{ file: string, path: string, spec: string, llama: string, what: string }[]} */
export const cases = readFileSync(`${folder}EXPECTED.tsv`, 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => {
    const [file, spec, llama, what] = line.split('\t');
    return { file, path: folder + file, spec, llama, what };
  });

/** @param {string} file @returns {string} its path */
export const casePath = (file) => folder + file;

/** The worst severity of a report; 'ok' when there is nothing worse than information. */
export function verdictOf({ findings }) {
  const has = (severity) => findings.some((finding) => finding.severity === severity);
  return has('error') ? 'error' : has('warning') ? 'warning' : 'ok';
}
