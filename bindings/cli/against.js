import { PackedError } from 'packed-weights';
import { compareTensor, difference } from './against-tensor.js';

/** @typedef {import('packed-weights').PackedWeights} PackedWeights */
/** @typedef {import('packed-weights').GgufFile} GgufFile */
/** @typedef {import('packed-weights').GgufFile['tensors'][number]} Tensor */
/** @typedef {import('packed-weights').Finding} Finding */

/** A file that is read, how it was called, and what its tensors are. @typedef {{ path: string, file: GgufFile, names: Set<string> }} Opened */

/**
 * A file held against a reference, tensor by tensor: what is missing, of another type or shape, and for weights
 * whose bytes differ, the first block in the wrong place and which mistake it was.
 * @param {PackedWeights} pw
 * @param {string[]} paths
 * @param {string} referencePath
 * @returns {Promise<Finding[]>}
 */
export async function checkAgainst(pw, paths, referencePath) {
  const reference = named(referencePath, await openReference(pw, referencePath));
  /** @type {Opened[]} */
  const opened = [];
  try {
    for (const path of paths) opened.push(named(path, await pw.openGguf(path)));
    /** @type {Finding[]} */
    const findings = [];
    for (const wanted of reference.file.tensors) {
      const holder = opened.find(({ names }) => names.has(wanted.name));
      if (holder) {
        const found = await compared(pw, holder, reference, wanted);
        findings.push(...(paths.length === 1 ? found : found.map(inFile(holder.path))));
      } else {
        const message = `${wanted.name} is in ${referencePath}, but not here`;
        findings.push(
          difference('reference-missing', { name: wanted.name, offset: null }, message),
        );
      }
    }
    return [...findings, ...uncompared(opened, reference)];
  } catch (thrown) {
    if (/** @type {any} */ (thrown)?.code === 'IO_FAILED') throw thrown;
    const message = `it cannot be compared: ${/** @type {Error} */ (thrown).message}`;
    return [{ rule: 'reference-unreadable', severity: 'error', message, count: 1 }];
  } finally {
    await reference.file.close();
    for (const { file } of opened) await file.close();
  }
}

/**
 * A file to compare with; what is wrong with it names it, or one would look for it in the other file.
 * @param {PackedWeights} pw
 * @param {string} path
 */
export async function openReference(pw, path) {
  try {
    return await pw.openGguf(path);
  } catch (thrown) {
    if (!(thrown instanceof PackedError) || thrown.code === 'IO_FAILED') throw thrown;
    throw new PackedError(thrown.code, `the reference ${path}: ${thrown.message}`, thrown);
  }
}

/** @param {string} path @param {GgufFile} file @returns {Opened} */
const named = (path, file) => ({
  path,
  file,
  names: new Set(file.tensors.map(({ name }) => name)),
});

const inFile = (/** @type {string} */ file) => (/** @type {Finding} */ finding) => ({
  ...finding,
  file,
});

/**
 * What the reference lacks was held against nothing; where that is all of it, nothing was proved.
 * @param {Opened[]} opened
 * @param {Opened} reference
 * @returns {Finding[]}
 */
function uncompared(opened, reference) {
  const names = opened.flatMap((each) => [...each.names]);
  const own = names.filter((name) => !reference.names.has(name));
  if (own.length === 0) return [];
  const them = own.length === 1 ? '1 tensor is' : `${own.length} tensors are`;
  const message = `${them} not in ${reference.path} and not compared, the first "${own[0]}"`;
  /** @type {Finding} */
  const finding = { rule: 'reference-lacks', severity: 'info', message, tensor: own[0], count: 1 };
  if (own.length < names.length) return [finding];
  const nothing = `${message}: nothing could be compared, give the reference of this model`;
  return [{ ...finding, severity: 'error', message: nothing }];
}

/**
 * @param {PackedWeights} pw
 * @param {Opened} holder
 * @param {Opened} reference
 * @param {Tensor} wanted
 * @returns {Promise<Finding[]>}
 */
async function compared(pw, holder, reference, wanted) {
  const tensor = holder.file.tensor(wanted.name);
  let side = holder;
  try {
    return await compareTensor(
      pw,
      tensor,
      wanted,
      async () => {
        side = holder;
        const bytes = await holder.file.bytes(tensor.name);
        side = reference;
        return [bytes, await reference.file.bytes(wanted.name)];
      },
      (bytes) => nameOf(reference.file, wanted, bytes),
    );
  } catch (thrown) {
    if (!(thrown instanceof PackedError) || thrown.code === 'IO_FAILED') throw thrown;
    const message = `${tensor.name} cannot be compared: ${side.path}: ${thrown.message}`;
    return [difference('reference-unreadable', tensor, message)];
  }
}

/**
 * The first tensor of another name, but of the same type and size, that has these bytes. Most are told apart by a few
 * bytes in their middle; what is one byte again and again is nobody's.
 * @param {GgufFile} file
 * @param {Tensor} wanted
 * @param {Uint8Array} bytes
 * @returns {Promise<string | undefined>}
 */
async function nameOf(file, wanted, bytes) {
  if (bytes.every((byte) => byte === bytes[0])) return undefined;
  const start = bytes.length >> 1;
  const few = bytes.subarray(start, start + 256);
  for (const { name, ggmlType, byteLength } of file.tensors) {
    if (name === wanted.name || ggmlType !== wanted.ggmlType || byteLength !== bytes.length)
      continue;
    try {
      const found = await file.read(file.range(name).offset + start, few.length);
      if (Buffer.compare(found, few) !== 0) continue;
      if (Buffer.compare(await file.bytes(name), bytes) === 0) return name;
    } catch {
      // What cannot be read is said where it is compared itself.
    }
  }
  return undefined;
}
