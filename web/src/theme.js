/** The theme, and its tokens as numbers for the worker, which has no style sheets. */
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

export function storedTheme() {
  try {
    return localStorage.getItem('theme') ?? 'auto';
  } catch {
    return 'auto';
  }
}

/** @param {string} theme */
export function storeTheme(theme) {
  try {
    if (theme === 'auto') localStorage.removeItem('theme');
    else localStorage.setItem('theme', theme);
  } catch {
    // A page without storage keeps its theme until it is closed.
  }
}
