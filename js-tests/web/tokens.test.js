import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const css = readFileSync(new URL('../../web/src/styles/tokens.css', import.meta.url), 'utf8');

/** @type {Record<string, [string, string]>} light and dark */
const tokens = Object.fromEntries(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name, light, dark]) => [name, [light, dark]],
  ),
);

function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

const TEXT_ON = {
  ground: ['ink', 'ink-soft', 'accent', 'error', 'warning', 'good'],
  surface: ['ink', 'ink-soft', 'accent', 'error', 'warning', 'good'],
  sunken: ['ink', 'ink-soft'],
  accent: ['accent-ink'],
  'accent-wash': ['ink', 'ink-soft'],
  ...Object.fromEntries([0, 1, 2, 3, 4, 5].map((i) => [`field-${i}`, ['ink']])),
};

for (const [theme, index] of [
  ['light', 0],
  ['dark', 1],
]) {
  test(`tokens: text is at least 4.5:1 on what it stands on, ${theme}`, () => {
    for (const [under, over] of Object.entries(TEXT_ON)) {
      for (const name of over) {
        const ratio = contrast(tokens[under][index], tokens[name][index]);
        assert.ok(ratio >= 4.5, `${name} on ${under}: ${ratio.toFixed(2)}`);
      }
    }
  });

  test(`tokens: borders of controls and the focus ring are at least 3:1, ${theme}`, () => {
    for (const [line, under] of [
      ['line-strong', 'ground'],
      ['line-strong', 'surface'],
      ['accent', 'ground'],
      ['accent', 'surface'],
    ]) {
      const ratio = contrast(tokens[line][index], tokens[under][index]);
      assert.ok(ratio >= 3, `${line} on ${under}: ${ratio.toFixed(2)}`);
    }
  });
}
