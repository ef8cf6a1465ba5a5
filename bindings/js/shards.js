import { PackedError, describe } from './errors.js';

/**
 * What is asked of the shards of a split model before they are read as one: all there, each once, none of
 * another model. Gives them in the order of their numbers.
 * @param {import('./gguf.js').GgufFile[]} files
 * @returns {import('./gguf.js').GgufFile[]}
 */
export function completeSet(files) {
  const counts = files.map((file) => wholeOf(file, 'split.count'));
  const count = counts[0];
  const other = counts.findIndex((each) => each !== count);
  if (other > 0) {
    throw contradiction(
      `${files[0].name} is one of ${count} shards, ${files[other].name} one of ${counts[other]}: open the shards of one model`,
    );
  }
  /** @type {(import('./gguf.js').GgufFile | undefined)[]} */
  const inOrder = new Array(Math.min(count, 65536)).fill(undefined);
  for (const file of files) {
    const number = wholeOf(file, 'split.no');
    if (number >= inOrder.length) {
      throw contradiction(`${file.name} says that it is shard ${number + 1} of ${count}`);
    }
    const twin = inOrder[number];
    if (twin) {
      throw contradiction(`${twin.name} and ${file.name} are both shard ${number + 1} of ${count}`);
    }
    inOrder[number] = file;
  }
  const missing = inOrder.flatMap((file, number) =>
    file ? [] : [nameOfShard(files[0], number, count)],
  );
  if (missing.length > 0) {
    const names = `${missing.slice(0, 8).join(', ')}${missing.length > 8 ? `, and ${missing.length - 8} more` : ''}`;
    throw new PackedError(
      'MALFORMED',
      `${missing.length} of ${count} shards are missing: ${names}. Give all of them`,
      { expected: `${count} shards`, actual: `${files.length} shards` },
    );
  }
  const complete = /** @type {import('./gguf.js').GgufFile[]} */ (inOrder);
  requireOneByteOrder(complete);
  requireTensors(complete);
  return complete;
}

/**
 * What is said of the byte order of a model is said of all its values.
 * @param {import('./gguf.js').GgufFile[]} files
 */
function requireOneByteOrder([first, ...others]) {
  const other = others.find(({ littleEndian }) => littleEndian !== first.littleEndian);
  if (!other) return;
  const [little, big] = first.littleEndian ? [first, other] : [other, first];
  throw contradiction(
    `${big.name} is big-endian, ${little.name} little-endian: open the shards of one model`,
  );
}

/** @param {import('./gguf.js').GgufFile[]} files */
function requireTensors(files) {
  /** @type {Map<string, string>} */
  const holders = new Map();
  for (const file of files) {
    for (const { name } of file.tensors) {
      const holder = holders.get(name);
      if (holder !== undefined) {
        throw contradiction(`tensor ${describe(name)} is in ${holder} and in ${file.name}`);
      }
      holders.set(name, file.name);
    }
  }
  const total = files[0].metadata.get('split.tensors.count');
  if (total !== undefined && Number(total) !== holders.size) {
    throw contradiction(
      `${files[0].name} says that the model has ${total} tensors, the shards have ${holders.size}`,
    );
  }
}

/**
 * @param {import('./gguf.js').GgufFile} file
 * @param {string} key
 * @returns {number}
 */
function wholeOf(file, key) {
  const value = file.metadata.get(key);
  if (typeof value === 'number' && Number.isInteger(value) && value >= (key === 'split.no' ? 0 : 1))
    return value;
  throw contradiction(
    `${file.name} is no shard: its ${key} is ${value === undefined ? 'missing' : describe(value)}; open it alone`,
  );
}

/**
 * @param {import('./gguf.js').GgufFile} beside
 * @param {number} number
 * @param {number} count
 */
function nameOfShard(beside, number, count) {
  const five = (/** @type {number} */ n) => String(n).padStart(5, '0');
  const suffix = `-${five(number + 1)}-of-${five(count)}.gguf`;
  const named = /^(.*)-\d{5}-of-\d{5}\.gguf$/s.exec(beside.name);
  return named ? named[1] + suffix : `shard ${number + 1} (*${suffix})`;
}

/** @param {string} message */
const contradiction = (message) => new PackedError('MALFORMED', message);
