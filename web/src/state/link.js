/**
 * The part of the state that a link carries, after the `#`: readable, no file contents, and no file name
 * unless the user asks for it. Keys this version does not know are kept; values it cannot use are named
 * and left out.
 *
 * @typedef {object} LinkState
 * @property {string} [sample] id of a built-in sample
 * @property {string} [file] name of a file the reader has to open
 * @property {string} [tensor]
 * @property {number} [slice] which grid of a stack
 * @property {string} [tab]
 * @property {number} [o]
 * @property {number} [b]
 * @property {number} [zoom] pixels per block; 0 fits
 * @property {string} [channel]
 * @property {number} [flight] 0..1
 * @property {number} [divider] 0..1
 * @property {string} [wrap]
 * @property {string} [label]
 * @property {Record<string, string>} [unknown]
 */

export const TABS = ['orders', 'wrong', 'compare', 'report', 'trace', 'bench'];
/** Those that show the picture and the block in hand. */
export const PICTURED = ['orders', 'wrong', 'compare'];
export const CHANNELS = ['scale', 'position', 'identity', 'error'];
export const WRAPS = ['memory', 'logical'];
export const LABELS = ['OUT_IN', 'AS_STORED'];

const text = { write: String, read: (/** @type {string} */ s) => (s === '' ? undefined : s) };
const count = {
  write: String,
  read: (/** @type {string} */ s) => (/^\d{1,15}$/.test(s) ? Number(s) : undefined),
};
/** @param {number} most */
const fraction = (most) => ({
  write: String,
  read: (/** @type {string} */ s) =>
    /^\d+(\.\d+)?(e-\d+)?$/.test(s) && Number(s) <= most ? Number(s) : undefined,
});
/** @param {readonly string[]} words */
const oneOf = (words) => ({
  write: String,
  read: (/** @type {string} */ s) => (words.includes(s) ? s : undefined),
});

/** @type {readonly { key: string, name: string, write: (v: any) => string, read: (s: string) => any }[]} */
const FIELDS = [
  { key: 'sample', name: 'sample', ...text },
  { key: 'file', name: 'file', ...text },
  { key: 't', name: 'tensor', ...text },
  { key: 'e', name: 'slice', ...count },
  { key: 'v', name: 'tab', ...oneOf(TABS) },
  { key: 'o', name: 'o', ...count },
  { key: 'b', name: 'b', ...count },
  { key: 'z', name: 'zoom', ...fraction(1024) },
  { key: 'c', name: 'channel', ...oneOf(CHANNELS) },
  { key: 'p', name: 'flight', ...fraction(1) },
  { key: 'd', name: 'divider', ...fraction(1) },
  { key: 'w', name: 'wrap', ...oneOf(WRAPS) },
  { key: 'label', name: 'label', ...oneOf(LABELS) },
];

/**
 * @param {LinkState} state
 * @returns {string} without the `#`
 */
export function encodeLink(state) {
  const parts = [];
  for (const { key, name, write } of FIELDS) {
    const value = state[name];
    if (value !== undefined) parts.push(`${key}=${escape(write(value))}`);
  }
  for (const [key, value] of Object.entries(state.unknown ?? {})) {
    parts.push(`${escape(key)}=${escape(value)}`);
  }
  return parts.join('&');
}

/** @param {string} s keeps what people like to read in an address, escapes the rest */
function escape(s) {
  return encodeURIComponent(s.toWellFormed?.() ?? s).replace(/%(2F|3A|40|2C)/g, decodeURIComponent);
}

/**
 * @param {string} hash with or without the `#`
 * @returns {{ state: LinkState, ignored: string[] }} `ignored` says in words what could not be used
 */
export function decodeLink(hash) {
  /** @type {LinkState} */
  const state = {};
  const unknown = new Map();
  const ignored = [];
  for (const part of hash.replace(/^#/, '').split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const key = unescape(at < 0 ? part : part.slice(0, at));
    const value = unescape(at < 0 ? '' : part.slice(at + 1));
    if (key === undefined || value === undefined) {
      ignored.push(`"${part}" is not a well-formed key=value`);
      continue;
    }
    const field = FIELDS.find((f) => f.key === key);
    if (!field) {
      unknown.set(key, value);
      continue;
    }
    const read = field.read(value);
    if (read === undefined) ignored.push(`${key}=${value} is not a value of ${field.name}`);
    else state[field.name] = read;
  }
  if (unknown.size) state.unknown = Object.fromEntries(unknown);
  return { state, ignored };
}

/** @param {string} s */
function unescape(s) {
  try {
    return decodeURIComponent(s.replace(/\+/g, ' '));
  } catch {
    return undefined;
  }
}
