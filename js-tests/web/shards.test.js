import { test } from 'node:test';
import assert from 'node:assert/strict';
import { requireOneModel } from '../../web/src/worker/shards.js';

const set = (name, count) =>
  Array.from(
    { length: count },
    (_, i) => `${name}-${String(i + 1).padStart(5, '0')}-of-${String(count).padStart(5, '0')}.gguf`,
  );

/** What is said of these files, chosen in any sequence. */
function saidOf(names) {
  try {
    requireOneModel([...names].sort());
    return null;
  } catch ({ code, message }) {
    return `${code}: ${message}`;
  }
}

test('shards: one file of any name, and whole sets, are one model', () => {
  for (const names of [['model.gguf'], set('m', 1), set('m', 3), set('a b-00001', 12)])
    assert.equal(saidOf(names), null, names.join());
});

test('shards: a set without some of its files names those', () => {
  const all = set('m', 12);
  assert.match(saidOf(all.slice(1)), /^SHARD_MISSING: .*12 files.*: m-00001-of-00012\.gguf\./);
  assert.match(saidOf([all[5]]), /m-00007-of-00012\.gguf and 5 more/);
});

test('shards: whatever does not belong to the set is refused by its name', () => {
  const two = set('m', 2);
  for (const strangers of [set('n', 2), set('m', 3), ['m.gguf'], ['notes.txt'], ['zz.gguf']]) {
    const said = saidOf([...two, ...strangers]);
    assert.match(said, /^NOT_SHARDS: .* shards of one model.* Open each model for itself\.$/);
    assert.ok(said.includes(`: ${[...strangers].sort().join(', ')}. Open`), said);
  }
  assert.match(saidOf([...two, two[0]]), /^NOT_SHARDS: 3 files .*: m-00001-of-00002\.gguf\. /);
  assert.match(saidOf(['a.gguf', 'b.gguf']), /^NOT_SHARDS: .* are no set: a\.gguf, b\.gguf\. /);
});
