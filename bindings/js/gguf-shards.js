import { requireText } from './arguments.js';
import { PackedError, describe } from './errors.js';
import { completeSet } from './shards.js';

/** @typedef {import('./gguf.js').GgufFile} GgufFile */

/** @template S @typedef {S extends readonly unknown[] ? GgufShards : GgufFile} Opened */

/**
 * One file, or the shards of a model where an array is given.
 * @template S
 * @param {S} source
 * @param {(source: unknown) => Promise<GgufFile>} openOne
 * @returns {Promise<Opened<S>>}
 */
export async function openShards(source, openOne) {
  const opened = Array.isArray(source) ? await openAll(source, openOne) : await openOne(source);
  return /** @type {any} */ (opened);
}

/**
 * @param {unknown[]} sources
 * @param {(source: unknown) => Promise<GgufFile>} openOne
 */
async function openAll(sources, openOne) {
  if (sources.length === 0) {
    throw new PackedError('INVALID_ARGUMENT', 'No shard was given: there is nothing to open');
  }
  /** @type {GgufFile[]} */
  const files = [];
  try {
    for (const source of sources) files.push(await openOne(source));
    return new GgufShards(completeSet(files));
  } catch (error) {
    // What closing says as well would hide it.
    await closeAll(files).catch(() => {});
    throw error;
  }
}

/**
 * Closes all; what fails first is thrown once none is open any more.
 * @param {readonly GgufFile[]} files
 */
async function closeAll(files) {
  const closed = await Promise.allSettled(files.map((file) => file.close()));
  for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason;
}

/** A model that is split into several files, read as one: the metadata of its first shard, the tensors of all. */
export class GgufShards {
  static name = 'GgufShards';

  /** @type {Map<string, GgufFile>} */
  #holders = new Map();

  /**
   * Made by `pw.openGguf()` of an array.
   * @param {GgufFile[]} shards a complete set, in the order of their numbers
   */
  constructor(shards) {
    const [first] = shards;
    /** @readonly @type {ReadonlyArray<GgufFile>} */
    this.shards = Object.freeze([...shards]);
    /** @readonly Of the first shard. */
    this.name = first.name;
    /** @readonly Bytes of all files together. */
    this.size = shards.reduce((sum, { size }) => sum + size, 0);
    /** @readonly */
    this.version = first.version;
    /** @readonly */
    this.littleEndian = first.littleEndian;
    /** @readonly */
    this.alignment = first.alignment;
    /** @readonly Of the first shard: the others only say which part they are. */
    this.metadata = first.metadata;
    /** @readonly Their offsets count in the shard that holds them (`shardOf`). */
    this.tensors = Object.freeze(shards.flatMap(({ tensors }) => tensors));
    for (const shard of shards) {
      for (const { name } of shard.tensors) this.#holders.set(name, shard);
    }
  }

  /** The metadata of the first shard as stored. */
  storedMetadata() {
    return this.shards[0].storedMetadata();
  }

  /**
   * The file that holds a tensor; throws TENSOR_NOT_FOUND.
   * @param {string} name
   * @returns {GgufFile}
   */
  shardOf(name) {
    const shard = this.#holders.get(requireText('name', name));
    if (shard) return shard;
    throw new PackedError(
      'TENSOR_NOT_FOUND',
      `None of the ${this.shards.length} shards of ${this.name} has a tensor ${describe(name)}`,
      { tensor: name },
    );
  }

  /** @param {string} name */
  tensor(name) {
    return this.shardOf(name).tensor(name);
  }

  /**
   * A tensor's bytes as stored.
   * @param {string} name
   * @param {{ signal?: AbortSignal }} [options]
   */
  async bytes(name, options) {
    return this.shardOf(name).bytes(name, options);
  }

  /**
   * A tensor in the module's memory, read by windows.
   * @param {string} name
   * @param {import('./gguf.js').ViewOptions} [options]
   */
  async view(name, options) {
    return this.shardOf(name).view(name, options);
  }

  /** What KERNEL_FEED would do to each tensor, before anything is read. */
  feedReport() {
    return this.shards.flatMap((shard) => shard.feedReport());
  }

  /** Closes every file: nothing is read any more (DISPOSED). Views stay as they are. */
  async close() {
    await closeAll(this.shards);
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }
}
