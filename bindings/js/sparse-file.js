// Node cannot ask where the holes of a file are, but it is told how many bytes of it are stored at all. Once as
// many have been seen that are not zero, whatever has not been read yet is holes.

// File systems that store a unit with a byte in it as whole units: ext2 to ext4, XFS, tmpfs. Others compress,
// or tell of the file system below them, so that nothing follows from their counts.
const plainFileSystems = [0xef53, 0x58465342, 0x01021994];
const tailBytes = 1 << 20;

/**
 * @typedef {{ nextData: (offset: number) => Promise<number>, look: (offset: number, bytes: Uint8Array) => void }} SparseFile
 *   look is shown everything that is read
 */

/**
 * What is known of a file's holes; null where it has none, or nothing can be known.
 * @param {{ size: number, blocks: number }} stats
 * @param {() => Promise<{ type: number, bsize: number }>} statfs asked only where there are holes
 * @param {(offset: number, length: number) => Promise<Uint8Array>} read
 * @returns {Promise<SparseFile | null>}
 */
export async function sparseFile({ size, blocks }, statfs, read) {
  if (!(size - 512 * blocks >= tailBytes)) return null;
  const system = await statfs().catch(() => null);
  if (!system || !plainFileSystems.includes(system.type) || system.bsize < 512) return null;
  const unit = system.bsize;
  const stored = Math.ceil((512 * blocks) / unit);
  const zeros = new Uint8Array(unit);
  const tail = Math.max(0, Math.floor((size - tailBytes) / unit) * unit);
  let counted = -1; // the last unit that is in `seen`; reading goes forward
  let seen = 0;
  let seenInTail = NaN;

  /** How many units hold a byte, from `offset` on; a unit is counted once however it is cut. */
  const count = (/** @type {number} */ offset, /** @type {Uint8Array} */ bytes) => {
    let found = 0;
    for (let at = 0; at < bytes.length;) {
      const index = Math.floor((offset + at) / unit);
      const end = Math.min(bytes.length, (index + 1) * unit - offset);
      const part = bytes.subarray(at, end);
      if (index > counted && !isZero(part, zeros)) {
        counted = index;
        ++found;
      }
      at = end;
    }
    return found;
  };

  return {
    look(offset, bytes) {
      if (offset < tail) seen += count(offset, bytes.subarray(0, tail - offset));
    },
    async nextData(offset) {
      if (offset >= tail || Math.floor(offset / unit) <= counted) return offset;
      if (Number.isNaN(seenInTail)) {
        const before = counted;
        seenInTail = count(tail, await read(tail, size - tail));
        counted = before;
      }
      return seen + seenInTail >= stored ? tail : offset;
    },
  };
}

/**
 * @param {Uint8Array} bytes
 * @param {Uint8Array} zeros at least as many
 */
function isZero(bytes, zeros) {
  if (bytes[0] !== 0) return false;
  return globalThis.Buffer.compare(bytes, zeros.subarray(0, bytes.length)) === 0;
}
