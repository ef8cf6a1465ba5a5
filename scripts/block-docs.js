// Writes src/encoding/README.md: every block, field by field and bit by bit, as the library knows it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byteWords } from '../web/src/worker/block-words.js';
import { isProgram, main, root } from './terminal.js';

export const blockDocs = join(root, 'src/encoding/README.md');

/** The text of the file. @param {import('packed-weights').PackedWeights} pw */
export function blockDocsText(pw) {
  const blocked = Object.values(pw.encodings).filter(({ fields }) => fields.length > 0);
  return [
    '# Blocks',
    '',
    'Every block encoding: its fields, and which values the bits of its bytes belong to. Of fields with many bytes',
    'the first two and the last are shown. Drawn from `block_anatomy.inc` and `block_bits.inc` by',
    '`node scripts/block-docs.js`; a test compares.',
    ...blocked.flatMap((encoding) => sectionOf(encoding, byteWords(pw.blockBits(encoding.name)))),
    '',
  ].join('\n');
}

function sectionOf({ name, ggmlType, elements, bytes, fields }, words) {
  return [
    '',
    `## ${name}`,
    '',
    `ggml type ${ggmlType}: ${elements} values in ${bytes} bytes, ${((8 * bytes) / elements).toFixed(4).replace(/\.?0+$/, '')} bits each.`,
    '',
    '| field | bytes | type | meaning | bits |',
    '| --- | --- | --- | --- | --- |',
    ...fields.map((field) => {
      const last = field.offset + field.bytes - 1;
      const where = last === field.offset ? `${last}` : `${field.offset}–${last}`;
      return `| \`${field.name}\` | ${where} | ${field.type} | ${field.meaning} | ${bitsOf(field, words)} |`;
    }),
  ];
}

function bitsOf({ offset, bytes }, words) {
  const here = words.slice(offset, offset + bytes);
  const line = (i) => `byte ${offset + i}: ${here[i]}`;
  if (new Set(here.map((text) => text.replace(/^bits \d+–\d+ of the /, ''))).size === 1) {
    return here[0];
  }
  if (bytes <= 3) return here.map((_, i) => line(i)).join('<br>');
  return [line(0), line(1), '…', line(bytes - 1)].join('<br>');
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { load } = await import('packed-weights');
    const text = blockDocsText(await load());
    const same = existsSync(blockDocs) && readFileSync(blockDocs, 'utf8') === text;
    if (!same) writeFileSync(blockDocs, text);
  });
}
