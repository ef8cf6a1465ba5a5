// What the test runners say about themselves, as { passed, failed }.

/** doctest's closing lines. A program that died before them has failed. */
export function doctestCounts(output) {
  const line = /\[doctest\] test cases:\s*\d+\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed/.exec(output);
  return line ? { passed: Number(line[1]), failed: Number(line[2]) } : { passed: 0, failed: 1 };
}

/** The closing comments of Node's TAP report. A cancelled test has not passed. */
export function tapCounts(report) {
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? NaN);
  const counts = { passed: count('pass'), failed: count('fail') + count('cancelled') };
  return Number.isNaN(counts.passed + counts.failed) ? { passed: 0, failed: 1 } : counts;
}

/** Checks of our own, each true or false. */
export function ownCounts(results) {
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
}
