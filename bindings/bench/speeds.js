/** @typedef {import('./rows.js').BenchRow} BenchRow */

/**
 * @template {BenchRow['op']} Op
 * @param {Op} op
 * @param {number} milliseconds
 * @param {number} bytes
 */
export function timed(op, milliseconds, bytes) {
  return { op, milliseconds, gbps: bytes / milliseconds / 1e6 };
}

/**
 * @template {BenchRow['of']} Of
 * @param {Of} of
 * @param {{ gbps: number }} row
 * @param {number} ceiling in GB/s
 * @param {number | null} goal
 */
export function shareOf(of, { gbps }, ceiling, goal) {
  return { of, ceiling, share: gbps / ceiling, goal };
}

/**
 * A goal that is a speed: all of it is to be reached. Without one the share is of 1 GB/s.
 * @param {{ gbps: number }} row
 * @param {number | null} speed in GB/s
 */
export function fixedShare(row, speed) {
  return shareOf('fixed', row, speed ?? 1, speed === null ? null : 1);
}
