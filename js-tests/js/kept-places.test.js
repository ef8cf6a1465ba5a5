// The places in the module's memory that are kept from call to call: none is held twice, and none for a call that
// found too little.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heap } from '../../bindings/js/heap.js';
import { withOperands } from '../../bindings/js/matmul.js';

/** A module with room for so many bytes. @param {number} room */
function moduleOf(room) {
  const sizes = new Map();
  let next = 64;
  const held = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return {
    HEAPU8: new Uint8Array(1 << 16),
    held,
    heapAllocate(size) {
      if (held() + size > room) return 0;
      const address = next;
      next += Math.ceil(size / 64) * 64;
      sizes.set(address, size);
      return address;
    },
    heapFree: (address) => assert.ok(sizes.delete(address), `${address} is freed once`),
  };
}

test('kept places: one grows where it was, and the same size is the same place', () => {
  const module = moduleOf(1000);
  const heap = new Heap(module);
  const first = heap.keep('results', 600);
  assert.equal(heap.keep('results', 500), first);
  // Both at once would not fit.
  heap.keep('results', 900);
  assert.equal(module.held(), 900);
  heap.release('results', 'never kept');
  assert.equal(module.held(), 0);
});

test('kept places: growing that fails leaves nothing behind, and a smaller call goes on', () => {
  const module = moduleOf(1000);
  const heap = new Heap(module);
  heap.keep('results', 600);
  assert.throws(() => heap.keep('results', 1001), { code: 'OUT_OF_MEMORY' });
  assert.equal(module.held(), 0);
  heap.keep('results', 1000);
});

/** @param {ReturnType<typeof moduleOf>} module */
const contextOf = (module) => ({ requireIdle() {}, recheck() {}, heap: new Heap(module) });

test('kept places: a multiplication that finds no memory for its results holds none for its activations', () => {
  const module = moduleOf(1000);
  const context = /** @type {any} */ (contextOf(module));
  const multiply = (out, run = () => undefined) =>
    withOperands(context, new Float32Array(100), [out, 100], {}, run);
  assert.throws(() => multiply(200), { code: 'OUT_OF_MEMORY' });
  assert.equal(module.held(), 0);
  multiply(100);
  assert.equal(module.held(), 800);
  // Scratch of the kernel's that does not fit; what is wrong otherwise gives nothing back.
  const failing = (code) => () => ({ failed: true, code, message: '' });
  assert.throws(() => multiply(100, failing('SHAPE_MISMATCH')), { code: 'SHAPE_MISMATCH' });
  assert.equal(module.held(), 800);
  assert.throws(() => multiply(100, failing('OUT_OF_MEMORY')), { code: 'OUT_OF_MEMORY' });
  assert.equal(module.held(), 0);
});
