// The grid that bytes are held against: the one that was stated, whatever it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'packed-weights';
import { PseudoRandom } from '../support/pseudo-random.js';

const pw = await load();

test('disagreement, diagnose: an empty grid that was stated is no fixture', () => {
  const fixture = pw.fixtures.canonical('Q4_0');
  const nothing = new Uint8Array();
  for (const grid of [
    { out: 0, blocksPerRow: 0 },
    { out: 0, blocksPerRow: 3 },
    { out: 4, blocksPerRow: 0 },
  ]) {
    const options = { ...grid, reference: nothing };
    assert.equal(pw.disagreement(nothing, 'Q4_0', options), null);
    assert.equal(pw.diagnose(nothing, 'Q4_0', options).kind, 'agrees');
    assert.equal(pw.disagreement(fixture, 'Q4_0', options).total, 0);
    assert.match(pw.diagnose(fixture, 'Q4_0', options).message, /the grid is empty/);
    for (const call of ['disagreement', 'diagnose']) {
      assert.throws(() => pw[call](fixture, 'Q4_0', grid), { code: 'INVALID_ARGUMENT' });
      assert.throws(() => pw[call](fixture, 'Q4_0', { ...grid, reference: fixture }), {
        code: 'SIZE_MISMATCH',
      });
    }
  }
});

test('diagnose: as many rows or columns as there are values take no memory of their own', () => {
  const bytes = new Uint8Array(34e6);
  const other = bytes.slice().fill(1, 7, 9);
  for (const [out, blocksPerRow] of [
    [34e6, 1],
    [1, 33_999_991],
  ]) {
    const size = out * blocksPerRow;
    const options = { out, blocksPerRow, reference: bytes.subarray(0, size) };
    const { kind, message } = pw.diagnose(other.subarray(0, size), 'I8', options);
    assert.equal(kind, 'undetermined');
    assert.match(message, /fewer than three different/);
    assert.equal(pw.disagreement(other.subarray(0, size), 'I8', options).misplaced, 2);
  }
  assert.equal(pw.diagnose(pw.fixtures.canonical('Q4_K'), 'Q4_K').kind, 'agrees');
});

test('disagreement, diagnose: a transposed view is refused as such, of either shape', () => {
  const scope = pw.scope();
  for (const shape of [
    [4, 96],
    [128, 128],
  ]) {
    const bytes = new PseudoRandom(3).bytes((shape[0] * shape[1] * 18) / 32);
    const view = pw.view(bytes, { encoding: 'Q4_0', shape, order: 'ROW_MAJOR', scope });
    for (const [held, reference] of [
      [view.transpose(), view],
      [view, view.transpose()],
    ]) {
      for (const call of ['disagreement', 'diagnose']) {
        assert.throws(() => pw[call](held, 'Q4_0', { reference }), {
          code: 'NOT_BLOCKED',
          message: /transposed/,
        });
      }
    }
  }
  scope.close();
});

test('disagreement, diagnose: a view brings its grid along, as a reference too, and what is said twice is the same', () => {
  const canonical = pw.fixtures.canonical('Q4_K');
  const of = (out, blocksPerRow, order = 'ROW_MAJOR', bytes = canonical) =>
    pw.view(bytes, { encoding: 'Q4_K', shape: [out, 256 * blocksPerRow], order });
  // As many blocks as the placement fixture has, in grids that are not its own.
  for (const [out, blocksPerRow] of [
    [3, 4],
    [6, 2],
    [2, 6],
    [12, 1],
  ]) {
    const reference = of(out, blocksPerRow);
    const prepacked = reference.prepack('INPUT_BLOCK_MAJOR').bytes();
    const kernelOrder = true;
    assert.equal(pw.disagreement(prepacked, 'Q4_K', { kernelOrder, reference }), null);
    assert.equal(pw.diagnose(prepacked, 'Q4_K', { kernelOrder, reference }).kind, 'agrees');
    assert.equal(pw.disagreement(canonical, 'Q4_K', { reference }), null);
    const same = { out, blocksPerRow, reference };
    assert.equal(pw.disagreement(of(out, blocksPerRow), 'Q4_K', same), null);
    for (const call of ['disagreement', 'diagnose']) {
      for (const wrong of [NaN, '4', 4n, -1, 1.5]) {
        const options = { out: wrong, blocksPerRow, reference };
        assert.throws(() => pw[call](canonical, 'Q4_K', options), { code: 'INVALID_ARGUMENT' });
      }
      for (const [bytes, options] of [
        [of(4, 3), { reference }],
        [canonical, { out: 4, blocksPerRow: 3, reference }],
        [canonical, { blocksPerRow: 3, reference }],
        [reference, { out: 4 }],
        [of(4, 3, 'INPUT_BLOCK_MAJOR', prepacked), { reference }],
      ]) {
        assert.throws(() => pw[call](bytes, 'Q4_K', options), { code: 'SHAPE_MISMATCH' });
      }
    }
  }
});
