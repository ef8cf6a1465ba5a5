/** Whether several files are the shards of one model: none missing, and none that belongs elsewhere. */

const SHARD = /^(.*)-(\d{5})-of-(\d{5})(\.gguf)$/i;
const MOST_SHARDS = 10_000;

/** @param {string[]} names sorted @throws NOT_SHARDS or SHARD_MISSING */
export function requireOneModel(names) {
  const shard = names.map((name) => SHARD.exec(name)).find(Boolean);
  if (!shard && names.length === 1) return;
  const wanted = shard ? namesOfSet(shard) : [];
  const known = new Set(wanted);
  const strangers = names.filter((name, i) => !known.has(name) || name === names[i - 1]);
  if (names.length > 1 && strangers.length) {
    const [prefix, count] = shard ? [shard[1], shard[3]] : ['model', '00003'];
    const set = `${prefix}-00001-of-${count}.gguf`;
    const what = shard ? `do not all belong to the set of ${set}` : 'are no set';
    throw refusal(
      'NOT_SHARDS',
      `${names.length} files at once must be the shards of one model, named like ${set}; these ${what}: ${listed(strangers)}. Open each model for itself.`,
    );
  }
  const present = new Set(names);
  const missing = wanted.filter((name) => !present.has(name));
  if (!missing.length) return;
  throw refusal(
    'SHARD_MISSING',
    `Of this split set of ${wanted.length} files these are missing: ${listed(missing)}. Drop all of them at once.`,
  );
}

/** @param {RegExpExecArray} shard one of the set */
function namesOfSet([, prefix, , count, ending]) {
  return Array.from(
    { length: Math.min(Number(count), MOST_SHARDS) },
    (_, i) => `${prefix}-${String(i + 1).padStart(5, '0')}-of-${count}${ending}`,
  );
}

/** @param {string[]} names */
function listed(names) {
  return names.slice(0, 6).join(', ') + (names.length > 6 ? ` and ${names.length - 6} more` : '');
}

/** @param {string} code @param {string} message */
function refusal(code, message) {
  return Object.assign(new Error(message), { code });
}
