import { html } from 'lit';

/** A letter that runs from right to left, or a sign that turns the direction of what follows. */
const TURN =
  /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** The sentence's own marks before and after a word. */
const BEFORE = /["“(]/;
const AFTER = /[:;,.)"”\s]/;

/**
 * A sentence with names in it: what of them runs from right to left keeps to itself, and does not turn what is said
 * of it. Neighbours that do are one name.
 * @param {string} text
 */
export function isolated(text) {
  if (!TURN.test(text)) return text;
  /** @type {unknown[]} */
  const said = [];
  let name = '';
  let behind = '';
  const endName = () => {
    if (name) said.push(html`<bdi>${name}</bdi>`);
    said.push(behind);
    name = behind = '';
  };
  for (const word of text.split(/(?<=\s)(?=\S)/)) {
    const { start, end } = TURN.test(word) ? withoutMarks(word) : { start: word.length, end: 0 };
    if (name && start === 0 && behind.trim() === '') {
      name += behind + word.slice(0, end);
    } else {
      endName();
      said.push(word.slice(0, start));
      name = word.slice(start, end);
    }
    behind = start < end ? word.slice(end) : '';
  }
  endName();
  return said;
}

/** @param {string} word */
function withoutMarks(word) {
  let start = 0;
  let end = word.length;
  while (start < end && BEFORE.test(word[start])) ++start;
  while (end > start && AFTER.test(word[end - 1])) --end;
  return { start, end };
}
