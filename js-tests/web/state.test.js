import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createStore } from '../../web/src/state/store.js';
import { CHANNELS, LABELS, TABS, WRAPS, decodeLink, encodeLink } from '../../web/src/state/link.js';
import { HOTKEYS, actionOf, helpTable } from '../../web/src/state/hotkeys.js';
import { parseGoto } from '../../web/src/state/goto.js';

const name = fc.string({ unit: 'grapheme', minLength: 1 });
const known = new Set([
  'sample',
  'file',
  't',
  'e',
  'v',
  'o',
  'b',
  'z',
  'c',
  'p',
  'd',
  'w',
  'label',
  '__proto__',
]);
const share = fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs);
const states = fc.record(
  {
    sample: name,
    file: name,
    tensor: name,
    slice: fc.nat(),
    tab: fc.constantFrom(...TABS),
    o: fc.nat(),
    b: fc.nat(),
    zoom: fc.double({ min: 0, max: 1024, noNaN: true }).map(Math.abs),
    channel: fc.constantFrom(...CHANNELS),
    flight: share,
    divider: share,
    wrap: fc.constantFrom(...WRAPS),
    label: fc.constantFrom(...LABELS),
    unknown: fc.dictionary(
      name.filter((k) => !known.has(k)),
      fc.string({ unit: 'grapheme' }),
      { minKeys: 1, noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test('link: decode undoes encode for any state', () => {
  fc.assert(
    fc.property(states, (state) => {
      const { state: read, ignored } = decodeLink('#' + encodeLink(state));
      assert.deepEqual(ignored, []);
      assert.deepEqual(read, state);
    }),
  );
});

test('link: it reads like the sentence in the design', () => {
  const hash = 'sample=q4_k&t=blk.0.ffn_down.weight&v=orders&o=1207&b=31&z=3.5&c=scale&p=0.4';
  const { state, ignored } = decodeLink(hash);
  assert.deepEqual(ignored, []);
  assert.equal(encodeLink(state), hash);
});

test('link: values that cannot be used are named and left out, the rest stays', () => {
  const { state, ignored } = decodeLink('#v=nowhere&o=-1&b=3&z=1e9&c=scale&%E0%A4%A=1&mine=x');
  assert.deepEqual(state, { b: 3, channel: 'scale', unknown: { mine: 'x' } });
  assert.equal(ignored.length, 4);
  assert.match(ignored[0], /v=nowhere/);
});

test('link: no string makes it throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (s) => void decodeLink(s)));
});

test('store: listeners hear of changes only, with the state before', () => {
  const store = createStore({ o: 0, b: 0 });
  const heard = [];
  const stop = store.subscribe((now, before) => heard.push([before.o, now.o]));
  store.set({ o: 0 });
  store.set({ o: 2 });
  stop();
  store.set({ o: 3 });
  assert.deepEqual(heard, [[0, 2]]);
});

test('hotkeys: no key means two things and the help shows every action', () => {
  const keys = HOTKEYS.flatMap((h) => h.keys);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal([...helpTable().values()].flat().length, HOTKEYS.length);
});

test('hotkeys: a field keeps its letters, a widget its arrows, and Escape always works', () => {
  assert.equal(actionOf({ key: 'g' }), 'goto');
  assert.equal(actionOf({ key: 'g' }, { typing: true }), null);
  assert.equal(actionOf({ key: 'Escape' }, { typing: true }), 'cancel');
  assert.equal(actionOf({ key: 'ArrowUp' }, { widget: true }), null);
  assert.equal(actionOf({ key: 'ArrowUp', shiftKey: true }), 'move:line:-16');
  assert.equal(actionOf({ key: 'N', shiftKey: true }), 'misplaced:-1');
  assert.equal(actionOf({ key: '?', shiftKey: true }), 'help');
  assert.equal(actionOf({ key: 'o', ctrlKey: true }), null);
  assert.equal(actionOf({ key: 't', altKey: true }), 'table');
});

test('hotkeys: Caps Lock changes none, nor the sign that Alt makes on a Mac', () => {
  for (const { keys, action } of HOTKEYS) {
    for (const key of keys.filter((each) => /^[a-z]$/i.test(each))) {
      const shiftKey = key !== key.toLowerCase();
      for (const typed of [key.toLowerCase(), key.toUpperCase()])
        assert.equal(actionOf({ key: typed, shiftKey }), action, `${typed} for ${key}`);
    }
  }
  assert.equal(actionOf({ key: '†', code: 'KeyT', altKey: true }), 'table');
  assert.equal(actionOf({ key: 'Å', code: 'KeyA', altKey: true }), null);
});

test('go to: coordinates, flat index of the panel in use, offset in the file', () => {
  const where = {
    grid: { out: 5, blocksPerRow: 3 },
    order: 'INPUT_BLOCK_MAJOR',
    offset: 0x100,
    blockBytes: 18,
  };
  assert.deepEqual(parseGoto('4, 2', where), { block: { o: 4, b: 2 } });
  assert.deepEqual(parseGoto('@6', where), { block: { o: 1, b: 1 } });
  assert.deepEqual(parseGoto('@6', { ...where, order: 'ROW_MAJOR' }), { block: { o: 2, b: 0 } });
  assert.deepEqual(parseGoto('0x112', where), { block: { o: 0, b: 1 } });
  assert.match(parseGoto('5,0', where).problem, /outside 0\.\.4/);
  assert.match(parseGoto('@15', where).problem, /outside 0\.\.14/);
  assert.match(parseGoto('0xff', where).problem, /0x100 to 0x20d/);
  assert.match(parseGoto('here', where).problem, /o,b/);
});
