// The API reference as Markdown, out of dist/types: every exported class and function, its members in the order of
// the source, with what their JSDoc says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './terminal.js';

// In reading order. What a module does not export to users is left out by what index.d.ts exports.
const modules = {
  'packed-weights': [
    ...[
      'js/load',
      'js/module-parts',
      'js/arguments',
      'js/packed-weights',
      'js/build',
      'js/encodings',
      'js/fixtures',
      'js/packed-bytes',
      'js/view',
    ],
    ...[
      'js/scope',
      'js/session',
      'js/trace',
      'js/chrome-trace',
      'js/matmul',
      'js/gguf',
      'js/gguf-shards',
    ],
    ...[
      'js/metadata',
      'js/metadata-write',
      'js/source',
      'js/gguf-write',
      'js/gguf-split',
      'js/validate',
    ],
    ...['js/weights', 'js/quantize', 'js/ternary', 'js/ternary-weight', 'js/wasm-source'],
    'js/errors',
  ],
  'packed-weights/testing': ['testing/index'],
  'packed-weights/bench': [
    ...['bench/runs', 'bench/plans', 'bench/calibration', 'bench/rows', 'bench/report'],
  ],
};

// Of those modules: what users are given or give, beside what the entries export.
const alsoShown = new Set(['Ternary']);
// Types that only the package itself uses.
const hidden = new Set(['Modules', 'Encodings', 'MetadataEntry', 'StoredValue']);

/** The page, not yet formatted. */
export function apiPage() {
  const parts = ['# API reference', intro];
  const shown = new Set([...exportsOf('js/index'), ...exportsOf('bench/index'), ...alsoShown]);
  for (const [entry, names] of Object.entries(modules)) {
    parts.push(`## ${entry}`);
    for (const name of names) {
      const everything = name.endsWith('/index');
      for (const declaration of declarationsOf(name)) {
        if (/@internal/.test(declaration.doc) || hidden.has(declaration.name)) continue;
        if (declaration.kind !== 'type' && !everything && !shown.has(declaration.name)) continue;
        parts.push(...described(declaration));
      }
    }
  }
  parts.push('## Error codes', codesTable());
  return parts.join('\n\n');
}

function codesTable() {
  const list = readFileSync(join(root, 'src/base/errors.inc'), 'utf8');
  const codes = [...list.matchAll(/^X\((\w+), "(.*)"\)$/gm)].map(([, code, text]) => [code, text]);
  codes.push([
    'CALLED_FROM_SINK',
    'a sink called what it may not call in the middle of another call',
  ]);
  const rows = codes.map(([code, text]) => `| \`${code}\` | ${escaped(text)} |`);
  return ['| code | meaning |', '| --- | --- |', ...rows].join('\n');
}

const intro = `Generated from the types that the package ships: \`node scripts/reference.js\` after a build. What the words mean
stands in [the README](../../README.md#words), what the orders are in [src/README.md](../../src/README.md). Every failure is a
[PackedError](#class-packederror) with one of [these codes](#error-codes), but for an aborted \`signal\`, which throws its own reason
(an AbortError); what a reader or a generator of yours throws is the \`cause\` of an IO_FAILED.`;

const read = (name) => readFileSync(join(root, 'dist/types', `${name}.d.ts`), 'utf8');
const sourceOf = (name) => readFileSync(join(root, 'bindings', `${name}.js`), 'utf8');

function exportsOf(name) {
  const text = read(name);
  const listed = [...text.matchAll(/^export \{ (.*) \} from/gm)].flatMap(([, l]) => l.split(', '));
  const types = [...text.matchAll(/^export type (\w+)/gm)].map(([, type]) => type);
  return [...listed, ...types];
}

/** { kind, name, doc, code, members } of a .d.ts; aliases of other modules' types are left out. */
function declarationsOf(name) {
  return statements(read(name), '').flatMap(({ doc, code }) => {
    const found =
      /^export (?:declare )?(?:abstract )?(class|function|type|interface|const) (\w+)/.exec(code);
    if (!found || /^export type \w+(<.*>)? = import\([^)]*\)\.\w+(<.*>)?;$/.test(code)) return [];
    const [, word, title] = found;
    const kind = word === 'interface' ? 'type' : word;
    const members = kind === 'class' ? statements(bodyOf(code), '    ') : [];
    const said = kind === 'type' && doc === '' ? typedefOf(sourceOf(name), title) : doc;
    return [{ kind, name: title, doc: said, code: withoutImports(code), members }];
  });
}

const bodyOf = (code) => code.slice(code.indexOf('{') + 1, code.lastIndexOf('}'));
const withoutImports = (code) =>
  code.replace(/(?:typeof )?import\(["'][^"']*["']\)\.?/g, '').replace(/^export (declare )?/, '');

// Statements at one depth: each with the JSDoc right above it.
function statements(text, indent) {
  const found = [];
  let doc = '';
  let code = null;
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; ++i) {
    const line = lines[i];
    if (code === null && line.startsWith(`${indent}/**`)) {
      const from = i;
      while (!lines[i].includes('*/')) ++i;
      doc = lines.slice(from, i + 1).join('\n');
    } else if (
      code === null &&
      line.startsWith(indent) &&
      /^[\w[#]/.test(line.slice(indent.length))
    ) {
      code = [line];
    } else if (code !== null) {
      code.push(line);
    }
    if (code !== null && depthOf(code.join('\n')) === 0 && /[;}]$/.test(line)) {
      const whole = code.map((one) => one.slice(indent.length)).join('\n');
      found.push({ doc, code: whole });
      [doc, code] = ['', null];
    }
  }
  return found;
}

function depthOf(code) {
  const bare = code.replace(/\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"/g, '').replaceAll('=>', '');
  return (bare.match(/[({[<]/g) ?? []).length - (bare.match(/[)}\]>]/g) ?? []).length;
}

function described({ kind, name, doc, code, members }) {
  const { text, notes } = readDoc(doc);
  const parts = [`### ${kind} ${name}`];
  if (text) parts.push(text);
  if (kind !== 'class') parts.push(fenced(code), ...notes);
  for (const member of members) {
    if (/^(#|constructor\b|static )/.test(member.code) || /@internal/.test(member.doc)) continue;
    const about = readDoc(member.doc);
    parts.push(fenced(withoutImports(member.code)));
    if (about.text) parts.push(about.text);
    parts.push(...about.notes);
  }
  return parts;
}

const fenced = (code) => `\`\`\`ts\n${code}\n\`\`\``;

// What a comment says of a type that it defines: TypeScript gives the type without it.
function typedefOf(text, name) {
  for (const [comment] of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
    const pieces = piecesOf(comment);
    const at = pieces.findIndex((piece) => nameOfTypedef(piece)?.[1] === name);
    if (at < 0) continue;
    const before = pieces.slice(0, at).filter((piece) => !piece.startsWith('@'));
    return [...before, nameOfTypedef(pieces[at])[2]].join(' ');
  }
  return '';
}

const nameOfTypedef = (piece) =>
  piece.startsWith('@typedef')
    ? /^(\w+)\s*([\s\S]*)$/.exec(withoutType(piece.replace(/^@typedef\s*/, '')))
    : null;

/** A JSDoc comment: its prose, and one list of what parameters, result and errors are where it says so. */
function readDoc(doc) {
  const pieces = piecesOf(doc);
  const prose = pieces.filter((piece) => !piece.startsWith('@'));
  const tags = pieces.filter((piece) => piece.startsWith('@'));
  const items = tags.flatMap((tag) => readTag(tag));
  // "@readonly Why it is so": the prose of a property.
  const more = tags.flatMap((tag) => /^@readonly\s+([\s\S]+)/.exec(tag)?.[1] ?? []);
  return {
    text: escaped([...prose, ...more].filter(Boolean).join(' ')),
    notes: items.length > 0 ? [items.join('\n')] : [],
  };
}

// The prose and each tag with its text.
function piecesOf(doc) {
  const text = doc
    .replace(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .trim();
  const start = /(?=(?:^|\s)@(?:param|returns|throws|template|readonly|type|typedef|property)\b)/;
  return text.split(start).map((piece) => piece.trim());
}

function readTag(tag) {
  const [, word, rest] = /^@(\w+)\s*([\s\S]*)$/.exec(tag) ?? [];
  const afterType = rest?.startsWith('{') ? withoutType(rest) : rest;
  if (word === 'param') {
    const [, name, about] = /^\[?([\w.]+)[^\s]*\s*([\s\S]*)$/.exec(afterType) ?? [];
    return about ? [`- \`${name}\`: ${escaped(about)}`] : [];
  }
  if (word === 'returns') return afterType ? [`- gives ${escaped(afterType)}`] : [];
  if (word === 'throws') return [`- throws ${escaped(afterType)}`];
  return [];
}

// The text after a {type}, which may have braces inside.
function withoutType(text) {
  let depth = 0;
  for (let i = 0; i < text.length; ++i) {
    if (text[i] === '{') ++depth;
    if (text[i] === '}' && --depth === 0) return text.slice(i + 1).trim();
  }
  return '';
}

// Markdown takes < and * for its own.
const escaped = (text) =>
  text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? part.replace(/[<*]/g, '\\$&') : part))
    .join('`')
    .replace(/\s+/g, ' ');
