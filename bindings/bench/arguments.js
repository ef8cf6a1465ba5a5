import { internals, PackedWeights } from 'packed-weights';

const { requireEncoding, requireObject, requireOneOf, requireOptions, requireText } = internals;

/** @type {typeof internals.refuse} */
const refuse = internals.refuse;

/** @typedef {(name: string, value: unknown) => void} Check */

// A gigabyte of floats: what is refused here would not fit the module's memory several times.
const mostValues = 2 ** 28;
const mostMilliseconds = 3_600_000;

/** @param {unknown} pw */
export function requireLibrary(pw) {
  if (pw instanceof PackedWeights) return pw;
  refuse('pw', "what load() of 'packed-weights' gives", pw);
}

/** @type {Check} */
export function requireTime(name, value) {
  if (typeof value === 'number' && value >= 0 && value <= mostMilliseconds) return;
  refuse(name, `milliseconds from 0 to ${mostMilliseconds}`, value);
}

/** @param {string} name @param {unknown} value @param {number} [most] */
export function requireCount(name, value, most = mostValues) {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return;
  refuse(name, `a whole number from 1 to ${most}`, value);
}

/** @type {Check} */
export function requireShape(name, value) {
  if (!Array.isArray(value) || value.length !== 2) refuse(name, '[out, in]', value);
  value.forEach((size) => requireCount(name, size));
  requireCount(`${name}: out x in`, value[0] * value[1]);
}

/** @type {(check: Check) => Check} */
export const listOf = (check) => (name, value) => {
  if (!Array.isArray(value)) refuse(name, 'an array', value);
  value.forEach((each, i) => check(`${name}[${i}]`, each));
};

/** @type {(choices: readonly string[]) => Check} */
export const oneOf = (choices) => (name, value) => void requireOneOf(name, value, choices);

/** @type {(encodings: import('packed-weights').PackedWeights['encodings']) => Check} */
export const encodingOf = (encodings) => (_, value) => void requireEncoding(encodings, value);

/** @type {Check} */
export const text = (name, value) => void requireText(name, value);

/** @type {Check} */
export function measure(name, value) {
  if (typeof value === 'number' && value >= 0 && value < Infinity) return;
  refuse(name, 'a number from 0 on', value);
}

/** @type {(check: Check) => Check} */
export const orNull = (check) => (name, value) => value === null || check(name, value);

/**
 * An object whose parts are all that `checks` names, and nothing else; those in `optional` may be missing.
 * @param {string} name
 * @param {any} value
 * @param {Record<string, Check>} checks
 * @param {readonly string[]} [optional]
 */
export function requireParts(name, value, checks, optional = []) {
  const kinds = /** @type {any} */ (
    Object.fromEntries(Object.keys(checks).map((part) => [part, '']))
  );
  const given = requireOptions(requireObject(name, value), kinds, name);
  for (const [part, check] of Object.entries(checks)) {
    const found = /** @type {any} */ (given)[part];
    if (found !== undefined || !optional.includes(part)) check(`${name}.${part}`, found);
  }
}
