/** The tokens as numbers, for the worker: it has no style sheets. */
const TOKENS = {
  ground: '--ground',
  sunken: '--sunken',
  ink: '--ink',
  line: '--line-strong',
  accent: '--accent',
  axisO: '--axis-o',
  axisB: '--axis-b',
  error: '--error',
};

/** @type {HTMLElement | null} */
let probe = null;

/** @returns {Record<string, [number, number, number]>} */
export function colours() {
  if (!probe) {
    probe = document.createElement('span');
    probe.className = 'probe';
    probe.hidden = true;
    document.body.append(probe);
  }
  const { style } = probe;
  const read = getComputedStyle(probe);
  return Object.fromEntries(
    Object.entries(TOKENS).map(([name, token]) => {
      style.color = `var(${token})`;
      const [r, g, b] = read.color.match(/[\d.]+/g).map(Number);
      return [name, [r, g, b]];
    }),
  );
}
