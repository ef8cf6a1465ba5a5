// The tables of README.md, out of the lists themselves: src/encoding/encodings.inc as the built package tells it,
// src/kernels/*/kernels.inc for what is beside the scalar and the simd128 kernels.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './terminal.js';

/** README's text with its tables as they should be, not yet formatted. */
export async function withTables(readme) {
  const { load } = await import(pathToFileURL(join(root, 'dist/index.js')).href);
  const pw = await load({ isa: 'simd128' });
  return [
    ['encodings', encodingRows(pw)],
    ['kernels', kernelRows(pw)],
  ].reduce((text, [name, rows]) => withTable(text, name, rows), readme);
}

function withTable(text, name, rows) {
  const [start, end] = [`<!-- ${name}: node scripts/reference.js -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no place for the table of ${name}`);
  const [head, ...others] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  const rule = `| ${rows[0].map(() => '---').join(' | ')} |`;
  const table = [start, '', head, rule, ...others, '', ''].join('\n');
  return text.slice(0, from) + table + text.slice(to);
}

function encodingRows(pw) {
  const relaxed = relaxedEncodings();
  const rows = Object.values(pw.encodings).map((encoding) => {
    const { name, ggmlType, elements, bytes, blocked, quantizable } = encoding;
    const int8 = !blocked ? '' : relaxed.has(name) ? 'simd128, relaxed' : 'simd128';
    const bits = String(Math.round((bytes * 8 * 1000) / elements) / 1000);
    return [name, ggmlType, elements, bytes, bits, quantizable ? 'yes' : '', int8];
  });
  return [
    ['encoding', 'ggml type', 'values', 'bytes', 'bits per value', 'quantizes', 'int8 kernels'],
    ...rows,
  ];
}

// matmul_int8_q4_k_input_major_simd128
const kernelName = /^(\w+?)_(f32|int8)_(\w+)_(row|input)_major_(scalar|simd128|relaxed)$/;

function kernelRows(pw) {
  const counts = new Map();
  const count = (operation, activation, isa, encoding) => {
    const key = [operation, activation, isa].join(' ');
    counts.set(key, (counts.get(key) ?? new Set()).add(encoding));
  };
  for (const name of pw.kernels) {
    const [, operation, activation, encoding, , isa] = kernelName.exec(name) ?? [];
    if (!operation) throw new Error(`${name} is not named as kernels are`);
    count(operation, activation, isa, encoding);
  }
  for (const encoding of relaxedEncodings()) count('matmul', 'int8', 'relaxed', encoding);
  const rows = [...counts].map(([key, { size }]) => [...key.split(' '), size]);
  return [['operation', 'activation', 'instructions', 'encodings'], ...rows];
}

function relaxedEncodings() {
  const list = readFileSync(join(root, 'src/kernels/matmul/kernels.inc'), 'utf8');
  return new Set([...list.matchAll(/^RELAXED\((\w+)\)/gm)].map(([, name]) => name));
}
