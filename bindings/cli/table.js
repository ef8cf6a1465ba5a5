/**
 * Rows as lines of columns: numbers to the right, text to the left.
 * @param {string[][]} rows the first one is the head
 */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
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
