import { PackedError } from './errors.js';

/**
 * The module's memory, seen from JS. Typed arrays over it are made anew for every access, because any
 * call may have grown the memory and detached the old ones.
 */
export class Heap {
  /** @type {Map<string, { address: number, size: number }>} */
  #kept = new Map();
  #core;

  /** @param {any} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * @param {number} address
   * @param {number} size in bytes
   */
  bytes(address, size) {
    return new Uint8Array(this.#core.HEAPU8.buffer, address, size);
  }

  /**
   * @param {number} address
   * @param {number} count in floats
   */
  floats(address, count) {
    return new Float32Array(this.#core.HEAPU8.buffer, address, count);
  }

  /**
   * Memory for one use, given back when `use` returns or throws.
   * @template T
   * @param {number} size in bytes
   * @param {string} purpose for the message when there is none
   * @param {(address: number) => T} use
   * @returns {T}
   */
  borrow(size, purpose, use) {
    const address = this.#allocate(size, purpose);
    try {
      return use(address);
    } finally {
      this.#core.heapFree(address);
    }
  }

  /**
   * The same with bytes copied in.
   * @template T
   * @param {Uint8Array} bytes
   * @param {string} purpose
   * @param {(address: number, size: number) => T} use
   * @returns {T}
   */
  stage(bytes, purpose, use) {
    return this.borrow(bytes.length, purpose, (address) => {
      this.bytes(address, bytes.length).set(bytes);
      return use(address, bytes.length);
    });
  }

  /**
   * Memory kept under a name until more is asked for by it: what a call of the same size needs again. What was in it
   * is lost then.
   * @param {string} name
   * @param {number} size in bytes
   */
  keep(name, size) {
    const kept = this.#kept.get(name);
    if (kept && kept.size >= size) return kept.address;
    // Before more is asked for, which may find room where this was.
    this.release(name);
    const address = this.#allocate(size, name);
    this.#kept.set(name, { address, size });
    return address;
  }

  /** @param {string[]} names of memory that is kept no longer */
  release(...names) {
    for (const name of names) {
      const kept = this.#kept.get(name);
      if (kept) this.#core.heapFree(kept.address);
      this.#kept.delete(name);
    }
  }

  /**
   * Makes sure that C++, which cannot say that it found no memory, will find this much.
   * @param {number} size in bytes
   * @param {string} purpose for the message when there is none
   */
  require(size, purpose) {
    this.borrow(size, purpose, () => {});
  }

  /**
   * @param {number} size
   * @param {string} purpose
   */
  #allocate(size, purpose) {
    const address = this.#core.heapAllocate(size);
    if (address !== 0) return address;
    throw outOfMemory(size, purpose);
  }
}

/**
 * @param {number} size in bytes
 * @param {string} purpose
 */
export function outOfMemory(size, purpose) {
  return new PackedError(
    'OUT_OF_MEMORY',
    `No memory for ${size} bytes of ${purpose}: dispose of views and scopes that are no longer needed`,
  );
}

/** What is refused that another load() made. */
export function foreign() {
  return new PackedError(
    'INVALID_ARGUMENT',
    'A view or scope of another load() was passed: each has a memory of its own, make them with this one',
  );
}
