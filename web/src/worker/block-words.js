// What the bits of a block say, from the library's map of them: in words, and as numbers before any arithmetic.

const ROLES = {
  FACTOR: 'factor',
  SCALE: 'scale',
  MINIMUM: 'minimum',
  CODE: 'code',
  INDEX: 'codebook index',
  SIGN: 'sign',
  SHIFT: 'shift',
  DIGITS: 'base-3 digits',
  SUM: 'sum',
};

/**
 * One text per byte: "bits 0–3: code of value 5; bits 4–7: code of value 37".
 * @param {import('packed-weights').BlockBit[]} bits of the whole block, as pw.blockBits gives them
 * @returns {string[]}
 */
export function byteWords(bits) {
  const words = [];
  for (let at = 0; at < bits.length; at += 8) words.push(wordsOf(bits.slice(at, at + 8)));
  return words;
}

function wordsOf(byte) {
  const parts = [];
  for (let from = 0; from < byte.length;) {
    let to = from + 1;
    while (to < byte.length && together(byte[to - 1], byte[to])) ++to;
    const where = to - from === 1 ? `bit ${from}` : `bits ${from}–${to - 1}`;
    const whole = to - from === byte.length ? '' : `${where}: `;
    parts.push(
      `${whole}${partOf(byte[from], to - from)}${ROLES[byte[from].role]} of ${valuesOf(byte[from])}`,
    );
    from = to;
  }
  return parts.join('; ');
}

const together = (a, b) =>
  a.field === b.field &&
  a.role === b.role &&
  a.first === b.first &&
  a.span === b.span &&
  a.stride === b.stride &&
  b.significance === a.significance + 1;

// Which bits of its number these are, where they are not its lowest.
const partOf = ({ significance }, count) =>
  significance === 0
    ? ''
    : `${count === 1 ? `bit ${significance}` : `bits ${significance}–${significance + count - 1}`} of the `;

function valuesOf({ first, span, stride }) {
  if (span === 1) return `value ${first}`;
  if (stride === 1) return `values ${first}–${first + span - 1}`;
  return `values ${first}, ${first + stride}, … ${first + (span - 1) * stride}`;
}

const RAW = {
  CODE: 'codes',
  INDEX: 'codebook indices',
  SIGN: 'signs',
  SCALE: 'scales',
  MINIMUM: 'minimums',
};

/**
 * The integers that a block stores, as they stand: codes still with their zero point, scales before any factor.
 * @param {import('packed-weights').BlockBit[]} bits
 * @param {Uint8Array} bytes
 * @returns {{ what: string, numbers: number[] }[]} in the sequence of the values that they concern
 */
export function rawNumbers(bits, bytes) {
  return Object.entries(RAW).flatMap(([role, what]) => {
    /** @type {Map<string, { first: number, number: number }>} */
    const found = new Map();
    bits.forEach((bit, at) => {
      if (bit.role !== role) return;
      const key = `${bit.first} ${bit.span} ${bit.stride}`;
      const entry = found.get(key) ?? { first: bit.first, number: 0 };
      entry.number += ((bytes[at >> 3] >> (at & 7)) & 1) * 2 ** bit.significance;
      found.set(key, entry);
    });
    const numbers = [...found.values()].sort((a, b) => a.first - b.first);
    return numbers.length ? [{ what, numbers: numbers.map(({ number }) => number) }] : [];
  });
}
