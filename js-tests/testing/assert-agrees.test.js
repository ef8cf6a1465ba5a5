import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PackedError as mainError } from 'packed-weights';
import { assertAgrees, fixtures, PackedError } from 'packed-weights/testing';

test('assertAgrees: passes on the fixtures, in their order', () => {
  assertAgrees(fixtures.kernelOrder('Q4_K'), 'Q4_K', { kernelOrder: true });
  assertAgrees(fixtures.canonical('Q4_K'), 'Q4_K');
  const { bytes, out, blocksPerRow } = fixtures.decodable('Q6_K');
  assertAgrees(bytes, 'Q6_K', { out, blocksPerRow });
});

test('assertAgrees: the message has the place, the picture, the mistake and the call that mends it', () => {
  const error = thrownBy(() =>
    assertAgrees(fixtures.canonical('Q4_0'), 'Q4_0', { kernelOrder: true }),
  );
  assert.ok(error instanceof PackedError);
  assert.equal(error.code, 'DISAGREES');
  assert.equal(error.diagnosis.kind, 'other-order');
  assert.equal(error.disagreement.misplaced, 10);
  assert.match(
    error.message,
    /flat 1 belongs to block \(1,0\), but block \(0,1\) stands there; 10 of 12/,
  );
  assert.match(error.message, /^ {4}\(1,0\) \(1,1\) \(1,2\) {3}\(0,1\)/m);
  assert.match(error.message, /diagnosis: other-order/);
  assert.match(
    error.message,
    /to mend it: pw\.toKernelOrder\(pw\.pack\(bytes, \{ encoding: 'Q4_0'/,
  );
});

test('assertAgrees: its error is the one of the main entry, and its stack begins at the test', () => {
  const error = thrownBy(() => assertAgrees(new Uint8Array(3), 'Q4_0'));
  assert.ok(error instanceof mainError);
  assert.match(
    error.stack.split('\n').find((line) => /^\s+at /.test(line)),
    /assert-agrees\.test\.js/,
  );
});

test('assertAgrees: is a plain function whose error any runner can show: an Error with message and stack', () => {
  // What vitest and jest do with a failing test: read name, message and stack, and send them to another process.
  const error = thrownBy(() =>
    assertAgrees(fixtures.canonical('Q4_K'), 'Q4_K', { kernelOrder: true }),
  );
  assert.ok(error instanceof Error);
  assert.ok(error.stack.includes('diagnosis: other-order'));
  const copy = structuredClone({ ...error, message: error.message });
  assert.equal(copy.diagnosis.kind, 'other-order');
  assert.equal(JSON.parse(JSON.stringify(copy)).disagreement.misplaced, 10);
});

function thrownBy(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}
