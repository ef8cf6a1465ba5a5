import { readFileSync } from 'node:fs';

const folder = new URL('../../native-tests/golden/', import.meta.url);

/** What the golden files say: bytes of 25 encodings and their exact values, 5 rows x 3 blocks. */
export const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));

/** @param {string} name for example 'Q4_0.arbitrary.bin' @returns {Uint8Array} */
export function goldenBytes(name) {
  return new Uint8Array(readFileSync(new URL(name, folder)));
}

/** @param {string} name for example 'Q4_0.arbitrary.f32' @returns {Float32Array} */
export function goldenFloats(name) {
  return new Float32Array(goldenBytes(name).buffer);
}
