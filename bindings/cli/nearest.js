/**
 * What somebody may have meant who wrote `word`, as the end of a sentence that may name no choice.
 * @param {string} word
 * @param {readonly string[]} choices
 */
export function meant(word, choices) {
  const bare = plain(word);
  const near = choices
    .map((choice) => ({ choice, far: distance(bare, plain(choice)) }))
    .filter(({ choice, far }) => far <= Math.min(2, bare.length / 3) || begins(bare, plain(choice)))
    .sort((one, other) => one.far - other.far)[0];
  return near ? `; did you mean ${near.choice}?` : '.';
}

const plain = (/** @type {string} */ word) => word.replace(/^-+(no-)?/, '').toLowerCase();

/** Whether one is the beginning of the other: --out of --output, --inputDim of --in. */
const begins = (/** @type {string} */ one, /** @type {string} */ other) =>
  one !== '' && (one.startsWith(other) || other.startsWith(one));

/**
 * How many letters have to be put in, left out or replaced.
 * @param {string} one
 * @param {string} other
 */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 0; i < one.length; ++i) {
    const next = [i + 1];
    for (let j = 0; j < other.length; ++j) {
      const replaced = row[j] + (one[i] === other[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1] + 1, next[j] + 1));
    }
    row = next;
  }
  return row[other.length];
}
