/** Numbers as people read them. */

/** @param {number} n whole. The browser's own formatter takes longer to start than the page's first view may */
export function formatNumber(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** @param {number} n @param {string} what */
export function formatCount(n, what) {
  return `${formatNumber(n)} ${what}${n === 1 ? '' : 's'}`;
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let n = bytes;
  while (n >= 1000 && unit < units.length - 1) {
    n /= 1000;
    unit++;
  }
  return `${unit && n < 100 ? n.toFixed(n < 10 ? 2 : 1) : Math.round(n)} ${units[unit]}`;
}

/** @param {number} v */
export function formatValue(v) {
  if (!Number.isFinite(v)) return String(v);
  const size = Math.abs(v);
  if (v === 0) return '0';
  return size >= 1e5 || size < 1e-3 ? v.toExponential(3) : String(Number(v.toPrecision(4)));
}

/** @param {number} n */
export function hex(n) {
  return `0x${n.toString(16).toUpperCase()}`;
}

/** @param {number} nanos */
export function formatNanos(nanos) {
  return nanos >= 1e6 ? `${(nanos / 1e6).toFixed(1)} ms` : `${Math.round(nanos / 1000)} µs`;
}

/** @param {import('./page.js').Source} source */
export function fileWords({ name, tensors, size, version }) {
  return `${name}: ${formatCount(tensors.length, 'tensor')}, ${formatBytes(size)}, GGUF version ${version}`;
}
