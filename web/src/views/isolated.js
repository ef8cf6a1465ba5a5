import { html } from 'lit';

/** A letter that runs from right to left, or a sign that turns the direction of what follows. */
const TURN =
  /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** A word with one of them, without the sentence's own punctuation around it. */
const WORD = `[^\\s"“(]*${TURN.source}(?:\\S*[^\\s:;,.)"”])?`;

const WORDS = new RegExp(`(${WORD}(?:\\s+${WORD})*)`, 'u');

/**
 * A sentence with names in it: what of them runs from right to left keeps to itself, and does not turn what is said
 * of it.
 * @param {string} text
 */
export function isolated(text) {
  // Every second part is what the expression found.
  return text.split(WORDS).map((part, i) => (i % 2 ? html`<bdi>${part}</bdi>` : part));
}
