/**
 * Whether a pattern is of a whole text: * is any text, ? one character. Only the last * is ever tried again, so the
 * time is at most one length times the other.
 * @param {string} pattern
 * @param {string} text
 */
export function matches(pattern, text) {
  const wanted = [...pattern];
  const characters = [...text];
  let next = 0;
  let at = 0;
  let star = -1;
  let resumed = 0;
  while (at < characters.length) {
    if (wanted[next] === '*') {
      star = next++;
      resumed = at;
    } else if (wanted[next] === '?' || wanted[next] === characters[at]) {
      ++next;
      ++at;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resumed;
    } else {
      return false;
    }
  }
  return wanted.slice(next).every((character) => character === '*');
}
