/** @typedef {import('packed-weights').GgufFile} GgufFile */
/** @typedef {import('packed-weights').GgufShards} GgufShards */
/** @typedef {{ offset: number, length: number }} Range */

// What is read and written at a time: what bounds the memory, whatever the size of a tensor.
export const pieceBytes = 8 << 20;

/**
 * The file that holds a tensor.
 * @param {GgufFile | GgufShards} model
 * @param {string} name
 * @returns {GgufFile}
 */
export const holderOf = (model, name) => ('shardOf' in model ? model.shardOf(name) : model);

/**
 * The bytes of a tensor as they are stored, piece by piece.
 * @param {GgufFile} file
 * @param {Range} range
 */
export async function* copied(file, { offset, length }) {
  for (let done = 0; done < length; done += pieceBytes) {
    yield await file.read(offset + done, Math.min(pieceBytes, length - done));
  }
}
