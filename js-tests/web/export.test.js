import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as e from '../../web/src/export.js';
import { levelsOf } from '../../web/src/picture/levels.js';
import { PALETTE, colourAt } from '../../web/src/picture/colour-map.js';

test('export: names say file, tensor and content, and are safe file names', () => {
  assert.equal(
    e.exportName('model.gguf', 'blk.0.ffn_down.weight', 'orders', 'png'),
    'model.blk.0.ffn_down.weight.orders.png',
  );
  assert.equal(e.exportName('../../etc/passwd', 'a b/c', 'x', 'csv'), 'etc_passwd.a_b_c.x.csv');
});

test('export: the permutation of 2 x 3 is the picture of block_order.h', () => {
  assert.equal(
    [...e.permutationCsv({ out: 2, blocksPerRow: 3 })].join(''),
    'o,b,row_major,input_block_major\n0,0,0,0\n0,1,1,2\n0,2,2,4\n1,0,3,1\n1,1,4,3\n1,2,5,5\n',
  );
  assert.throws(() => e.permutationCsv({ out: 2048, blocksPerRow: 1024 }).next(), /lines of CSV/);
});

test('export: an SVG has one named cell per block and refuses large grids', () => {
  const svg = e.panelSvg({
    grid: { out: 2, blocksPerRow: 3 },
    axis: 'b',
    title: 'a<b',
    colour: () => [1, 2, 3],
  });
  assert.equal(svg.match(/<rect /g).length, 6);
  assert.match(svg, /a&#60;b/);
  assert.match(svg, /x="16" y="0"[^>]*><title>\(1, 0\)/);
  assert.throws(
    () =>
      e.panelSvg({
        grid: { out: 4097, blocksPerRow: 1 },
        axis: 'o',
        title: '',
        colour: () => [0, 0, 0],
      }),
    /PNG/,
  );
});

test('export: bytes as hex, C, JS and JSON', () => {
  const bytes = Uint8Array.of(0, 15, 255);
  assert.equal(e.bytesAs(bytes, 'hex'), '00 0f ff');
  assert.match(e.bytesAs(bytes, 'c'), /uint8_t block\[3\] = \{\n {2}0x00, 0x0f, 0xff\n\};/);
  assert.deepEqual(JSON.parse(e.bytesAs(bytes, 'json')), [0, 15, 255]);
  assert.match(e.bytesAs(bytes, 'js'), /Uint8Array\.of/);
});

test('export: the JSON of a block has every value, also those that are not finite', () => {
  const block = {
    o: 1,
    b: 2,
    bytes: Uint8Array.of(7, 8),
    values: Float32Array.of(0.5, NaN, Infinity, -Infinity),
  };
  const grid = { out: 2, blocksPerRow: 3, blockBytes: 2, offset: 64, encoding: 'X' };
  const told = JSON.parse(e.blockJson({ file: 'f', tensor: 't', grid, block }));
  assert.deepEqual(told.values, [0.5, 'NaN', 'Infinity', '-Infinity']);
  assert.deepEqual(told.places, { ROW_MAJOR: 5, INPUT_BLOCK_MAJOR: 5 });
  assert.deepEqual([told.offset, told.bytes], [74, [7, 8]]);
});

test('export: findings as Markdown keep the table whole', () => {
  const text = e.findingsMarkdown([
    { severity: 'error', rule: 'r|1', message: 'two\n\\| lines', offset: 4, tensor: null },
  ]);
  assert.equal(text.split('\n').length, 4);
  assert.match(text, /^\| error \| r\\\|1 \|  \| 4 \| two \\\\\\\| lines \|$/m);
});

test('levels: zero is black, the rest rises with the scale and ignores outliers', () => {
  const keys = Uint16Array.from({ length: 1000 }, (_, i) =>
    i === 999 ? 0x7bff : i === 0 ? 0 : 0x3000 + i,
  );
  const { levels, low, high } = levelsOf(keys);
  assert.equal(levels[0], 0);
  for (let i = 2; i < 999; i++) assert.ok(levels[i] >= levels[i - 1]);
  assert.ok(levels[500] > 110 && levels[500] < 145);
  assert.ok(low > 0x3000 && high < 0x7bff);
  assert.deepEqual([...levelsOf(new Uint16Array(3)).levels], [0, 0, 0]);
  assert.equal(levelsOf(Uint16Array.of(5, 5)).levels[0], 128);
});

test('colour map: lightness rises along it', () => {
  const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  for (let i = 1; i < 256; i++) assert.ok(light(colourAt(i)) >= light(colourAt(i - 1)) - 0.6);
  assert.equal(PALETTE[0], 0xff4d2000);
});
