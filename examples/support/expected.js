/** What every small example computes: the product of a Q4_K fixture, which is the same on every machine. */
import { load } from 'packed-weights';

const pw = await load();
const { bytes, out, inputDim, x } = pw.fixtures.decodable('Q4_K');
const view = pw.view(pw.pack(bytes, { encoding: 'Q4_K', out, inputDim, order: 'ROW_MAJOR' }));

/** What the examples say, to the last digit. */
export const expected = [...pw.matmul(x, view)].join(' ');

/** @param {string} said */
export function mustBeExpected(said) {
  if (said.trim() === expected) return;
  throw new Error(`It says "${said.trim().slice(0, 2000)}" instead of "${expected}"`);
}
