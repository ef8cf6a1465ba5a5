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

/** @type {{ of: string, colours: Record<string, [number, number, number]> } | null} */
let known = null;

/** @returns {Record<string, [number, number, number]>} */
export function colours() {
  const media = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];
  const { theme } = document.documentElement.dataset;
  const of = [theme, ...media.map((query) => matchMedia(query).matches)].join(' ');
  if (known?.of !== of) known = { of, colours: readColours() };
  return known.colours;
}

/** @returns {Record<string, [number, number, number]>} */
function readColours() {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const { style } = probe;
  // Else every colour that is read is the one that text has to have.
  style.forcedColorAdjust = 'none';
  const read = getComputedStyle(probe);
  const colours = Object.entries(TOKENS).map(([name, token]) => {
    style.color = `var(${token})`;
    return [name, read.color.match(/[\d.]+/g).map(Number)];
  });
  probe.remove();
  return Object.fromEntries(colours);
}

/** @param {string} theme */
export function showTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
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
