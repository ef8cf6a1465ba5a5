/**
 * The one error of this package. `code` is stable and upper snake case; `message` says what happened,
 * where, and what to do about it; the other fields carry the same facts where they apply.
 */
export class PackedError extends Error {
  // A minified class would be called otherwise.
  static name = 'PackedError';

  /**
   * @param {string} code
   * @param {string} message
   * @param {{ offset?: number, tensor?: string, expected?: string, actual?: string, cause?: unknown }} [facts]
   */
  constructor(code, message, { offset, tensor, expected, actual, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = PackedError.name;
    /** @readonly Stable name of the kind of failure, for example `LOOKS_TRANSPOSED`. */
    this.code = code;
    /** @readonly Absolute byte offset in the file or buffer. What a message says of an element is not repeated here. */
    this.offset = offset;
    /** @readonly Name of the tensor concerned. */
    this.tensor = tensor;
    /** @readonly What was wanted. */
    this.expected = expected;
    /** @readonly What was there. */
    this.actual = actual;
  }
}

/**
 * A value from the module, or the failure it stands for thrown as a PackedError.
 * @template T
 * @param {T} outcome
 * @returns {T}
 */
export function unwrap(outcome) {
  const failure = /** @type {any} */ (outcome);
  if (failure !== null && typeof failure === 'object' && failure.failed === true) {
    throw new PackedError(failure.code, failure.message, failure);
  }
  return outcome;
}

/**
 * Refuses an argument.
 * @param {string} name what it is called
 * @param {string} expected
 * @param {unknown} value
 * @returns {never}
 */
export function refuse(name, expected, value) {
  const actual = describe(value);
  const message = `${name} must be ${expected}, not ${actual}`;
  throw new PackedError('INVALID_ARGUMENT', message, { expected, actual });
}

/**
 * @param {string} name what the argument is called
 * @param {unknown} value
 * @returns {number}
 */
export function requireWhole(name, value) {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  refuse(name, 'a whole number from 0 to 2^53 - 1', value);
}

/**
 * @template {string} Choice
 * @param {string} name
 * @param {unknown} value
 * @param {readonly Choice[]} choices
 * @returns {Choice}
 */
export function requireOneOf(name, value, choices) {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  refuse(name, choices.map((choice) => `'${choice}'`).join(' or '), value);
}

/** @param {unknown} value a short text of it for messages */
export function describe(value) {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (value !== null && typeof value === 'object') {
    // Names of other classes may be what a bundler left of them.
    const { constructor } = value;
    const { name } = constructor ?? {};
    return name && /** @type {any} */ (globalThis)[name] === constructor
      ? `an object of ${name}`
      : 'an object';
  }
  return String(value);
}

/**
 * Why something failed, in words. Engines hide what it was under "fetch failed" and "terminated".
 * @param {any} cause
 * @returns {string}
 */
export function reasonOf(cause) {
  return [cause?.message, cause?.cause?.message].filter(Boolean).join(': ') || String(cause);
}

/**
 * Whether an error of the caller's code is thrown on as it is: this package's, or what a signal ended that code with.
 * @param {any} error
 */
export const isKept = (error) => /^(Packed|Abort|Timeout)Error$/.test(error?.name);
