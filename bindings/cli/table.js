/**
 * Rows as lines of columns: numbers to the right, text to the left.
 * @param {string[][]} given the first one is the head
 */
export function table(given) {
  const rows = given.map((row) => row.map(visible));
  const widths = rows[0].map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column].length), 0),
  );
  const numeric = rows[0].map((_, column) =>
    rows.slice(1).every((row) => /^[\d.,]+$|^unknown$/.test(row[column])),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        numeric[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Names come out of files: no control character of theirs may reach a terminal or begin a line of a log.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escaped);
}

/**
 * The same of what is printed, whose lines and columns are our own: names of files come from anywhere, too.
 * @param {string} text
 */
export function printable(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, escaped);
}

/** @param {string} character */
function escaped(character) {
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
}
