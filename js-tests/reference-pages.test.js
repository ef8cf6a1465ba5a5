import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pages } from '../scripts/reference.js';

for (const [path, text] of await pages()) {
  test(`documentation: what is generated of ${path} is as the types and lists are now`, () => {
    const written = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    assert.ok(written === text, `${path} is out of date: run "node scripts/reference.js"`);
  });
}

test('documentation: the reference names what users call', () => {
  const page = readFileSync(new URL('../bindings/js/API.md', import.meta.url), 'utf8');
  const names = [
    'load',
    'openGguf',
    'prepackForMatmul',
    'disagreement',
    'assertAgrees',
    'runBench',
  ];
  for (const name of names) {
    assert.match(page, new RegExp(`\\b${name}[(<]`), name);
  }
  assert.doesNotMatch(page, /^@\w+/m);
  assert.doesNotMatch(page, /import\(/);
});

test('documentation: whatever the reference names can be imported by that name, and its types say what they are', () => {
  const page = readFileSync(new URL('../bindings/js/API.md', import.meta.url), 'utf8');
  const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  let found = 0;
  for (const section of page.split(/^## (?=packed-weights)/m).slice(1)) {
    const entry = section.split('\n')[0].replace('packed-weights', '.');
    const types = readFileSync(new URL(`../${exports[entry].types}`, import.meta.url), 'utf8');
    const named = [...types.matchAll(/^export (?:declare )?(?:type|class|function|const) (\w+)/gm)];
    const listed = [...types.matchAll(/^export (?:type )?\{(.*?)\}/gms)];
    const given = new Set([
      ...named.map(([, name]) => name),
      ...listed.flatMap(([, names]) => names.split(',').map((name) => name.trim())),
    ]);
    for (const [, name] of section.matchAll(/^### \w+ (\w+)$/gm)) {
      assert.ok(given.has(name), `${entry} does not export ${name}`);
      ++found;
    }
    for (const [code] of section.matchAll(/```ts[\s\S]*?```/g)) {
      assert.doesNotMatch(code.replace(/\/\*[\s\S]*?\*\//g, ''), /[:<|&] *any\b|\bany\[\]/);
    }
  }
  assert.ok(found > 60, `${found}`);
});

test('documentation: the types that are shipped declare nothing for everybody', () => {
  const folder = new URL('../dist/types/', import.meta.url);
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    assert.doesNotMatch(readFileSync(new URL(name, folder), 'utf8'), /declare global/, name);
  }
});

test('documentation: what is said of a type stands in the reference, with the type', () => {
  const page = readFileSync(new URL('../bindings/js/API.md', import.meta.url), 'utf8');
  const said = new Map();
  for (const folder of ['js', 'bench', 'testing']) {
    const path = new URL(`../bindings/${folder}/`, import.meta.url);
    for (const name of readdirSync(path).filter((each) => each.endsWith('.js'))) {
      const text = readFileSync(new URL(name, path), 'utf8');
      for (const [, prose, type] of text.matchAll(
        /\/\*\*\n \* (?!@)([^@]*?)@typedef \{[^}]*(?:\}[^}]*)*?\} (\w+)/g,
      )) {
        said.set(type, prose.replace(/\n? \* ?/g, ' ').trim());
      }
    }
  }
  let found = 0;
  for (const [type, prose] of said) {
    const section = page.split(`### type ${type}\n`)[1]?.split('```')[0];
    if (section === undefined) continue;
    const words = prose.split(/\s+/).slice(0, 5).join(' ');
    assert.ok(section.replace(/\s+/g, ' ').includes(words), `${type}: ${words}`);
    ++found;
  }
  assert.ok(found >= 15, `${found}`);
});
