import { requireOptions, requireText } from './arguments.js';
import { requireReadOptions } from './checked-source.js';
import { PackedError, describe, requireOneOf, requireWhole, unwrap } from './errors.js';
import { Scope } from './scope.js';
import { openSource } from './source.js';
import { View } from './view.js';
import { windowsOf } from './windows.js';

/**
 * A tensor of a GGUF file.
 * @typedef {object} GgufTensor
 * @property {string} name
 * @property {readonly number[]} ne as stored: fastest-varying first, [in, out, experts, ...]
 * @property {readonly number[]} shape the same reversed: [..., experts, out, in]
 * @property {string | null} encoding null when this version does not read the type
 * @property {number} ggmlType
 * @property {string} typeName the encoding, or what is known of a type that is not read
 * @property {number | null} offset absolute
 * @property {number | null} byteLength null when it cannot be known
 * @property {number | null} blocksPerRow
 */

/**
 * @typedef {object} OpenOptions
 * @property {AbortSignal} [signal]
 * @property {(progress: { bytesRead: number, totalBytes: number }) => void} [onProgress]
 * @property {(metadata: Map<string, import('./metadata.js').MetadataValue>) => void} [onMetadata] all metadata
 *   so far, after each part of a long header but the last
 */

/**
 * How a tensor is wanted. `shape`: AS_STORED (the default) keeps the label of the file, [in, out], and the
 * values that belong to it, as a transposed view; OUT_IN relabels it [out, in], which relayouts and kernels
 * read. No byte changes either way. `order`: KERNEL_FEED relays for the kernels while the file is read; it
 * needs OUT_IN. `encoding`: dequantize gives F32. To multiply by a weight ask for { shape: 'OUT_IN' }: the
 * default is transposed, by which a packed weight is refused and a plain one multiplies as the transposed
 * matrix that it is. 'streaming' is short for the default, 'legacy' for OUT_IN.
 * @typedef {object} WeightForm
 * @property {'AS_STORED' | 'OUT_IN'} [shape]
 * @property {'AS_STORED' | 'KERNEL_FEED'} [order]
 * @property {'keep' | 'dequantize'} [encoding]
 */

/**
 * @typedef {object} ViewOptions
 * @property {WeightForm | 'streaming' | 'legacy'} [weightForm] { shape: 'OUT_IN' } for what is to be multiplied by
 * @property {Scope} [scope]
 * @property {import('./trace.js').Sink} [sink]
 * @property {AbortSignal} [signal]
 * @property {(progress: { bytesRead: number, totalBytes: number }) => void} [onProgress]
 */

/**
 * @param {import('./context.js').Context} context
 * @param {any} pw
 * @param {unknown} sourceLike
 * @param {OpenOptions} [options]
 */
export async function openGguf(context, pw, sourceLike, options) {
  const given = requireReadOptions(options, {
    signal: 'object',
    onProgress: 'function',
    onMetadata: 'function',
  });
  const source = await openSource(sourceLike, given.signal);
  try {
    const header = await readHeader(context, source, given);
    requireDistinct(source.name, 'tensor', header.tensors, 'name');
    requireDistinct(source.name, 'metadata key', header.metadata, 'key');
    return new GgufFile(context, pw, source, header);
  } catch (error) {
    // What closing says as well would hide it.
    await source.close().catch(() => {});
    throw error;
  }
}

/**
 * Feeds the incremental reader until it has the whole header.
 * @param {import('./context.js').Context} context
 * @param {import('./source.js').Source} source
 * @param {OpenOptions} options
 */
async function readHeader({ core, heap, tools }, source, { signal, onProgress, onMetadata }) {
  const reader = core.makeHeaderReader(source.size);
  try {
    for (let wanted = reader.wantedBytes(); wanted > 0; wanted = reader.wantedBytes()) {
      const bytes = await source.read(reader.position(), wanted, signal);
      requireRoom(heap, reader.position() + wanted);
      const address = reader.spaceAddress(wanted);
      heap.bytes(address, wanted).set(bytes);
      reader.commit(wanted);
      onProgress?.({ bytesRead: reader.position(), totalBytes: source.size });
      if (!onMetadata || reader.wantedBytes() === 0) continue;
      const { metadata, littleEndian } = reader.description();
      onMetadata(tools.readMetadata(reader.headerBytes(), littleEndian, metadata));
    }
    const refusal = reader.refusal();
    if (refusal) unwrap({ ...refusal, message: `${source.name}: ${refusal.message}` });
    const description = reader.description();
    const ranges = description.tensors.map((/** @type {any} */ _, /** @type {number} */ i) =>
      reader.rangeOf(i),
    );
    return { ...description, bytes: reader.headerBytes(), ranges };
  } finally {
    reader.delete();
  }
}

/**
 * Bytes that are not UTF-8 may become the text that others are, by which only the first of two would be found.
 * @param {string} file
 * @param {string} what has a name
 * @param {any[]} all
 * @param {string} key
 */
function requireDistinct(file, what, all, key) {
  const names = new Set();
  const twin = all.find((each) => names.size === names.add(each[key]).size);
  if (!twin) return;
  throw new PackedError(
    'MALFORMED',
    `${file}: two of its ${what}s have names that read the same, ${describe(twin[key])}, as not all of their bytes are UTF-8: which one is meant cannot be told; write the file again`,
  );
}

/**
 * Room for a header to grow to a size: it doubles its memory, and keeps the old while it copies.
 * @param {import('./heap.js').Heap} heap
 * @param {number} size
 */
export function requireRoom(heap, size) {
  heap.require(2 * size, 'a header');
}

/** An open GGUF file: its description is here, its tensors are read when asked for. */
export class GgufFile {
  static name = 'GgufFile';

  #context;
  #pw;
  #source;
  /** @type {Map<string, { tensor: Readonly<GgufTensor>, range: any }>} */
  #named;
  #stored;

  /**
   * Made by `pw.openGguf()`.
   * @param {import('./context.js').Context} context
   * @param {any} pw
   * @param {import('./source.js').Source} source
   * @param {any} header
   */
  constructor(context, pw, source, header) {
    this.#context = context;
    this.#pw = pw;
    this.#source = source;
    /** @readonly @type {string} */
    this.name = source.name;
    /** @readonly Bytes of the whole file. */
    this.size = source.size;
    /** @readonly @type {number} */
    this.version = header.version;
    /** @readonly @type {boolean} */
    this.littleEndian = header.littleEndian;
    /** @readonly @type {number} */
    this.alignment = header.alignment;
    /** @readonly Where tensor data begins. @type {number} */
    this.dataStart = header.dataStart;
    /** @readonly Values by key, in the order of the file. */
    this.metadata = context.tools.readMetadata(header.bytes, header.littleEndian, header.metadata);
    this.#stored = () => {
      if (this.littleEndian) return context.tools.storedMetadata(header.bytes, header.metadata);
      throw new PackedError(
        'UNSUPPORTED_ENCODING',
        `${this.name} is big-endian: its metadata can be read, but not written again as it is stored`,
      );
    };
    /** @readonly @type {ReadonlyArray<Readonly<GgufTensor>>} */
    this.tensors = Object.freeze(
      header.tensors.map((/** @type {any} */ info) => this.#tensor(info)),
    );
    this.#named = new Map();
    this.tensors.forEach((tensor, i) => {
      const { name } = tensor;
      if (!this.#named.has(name)) this.#named.set(name, { tensor, range: header.ranges[i] });
    });
  }

  /**
   * The metadata as it is stored, to be written again without any change (`writeGguf`): numbers keep their type.
   * @returns {Map<string, import('./metadata.js').StoredValue>}
   */
  storedMetadata() {
    return this.#stored();
  }

  /**
   * The tensor of that name; throws TENSOR_NOT_FOUND.
   * @param {string} name
   */
  tensor(name) {
    requireText('name', name);
    const found = this.#named.get(name);
    if (found) return found.tensor;
    throw new PackedError(
      'TENSOR_NOT_FOUND',
      `${this.name} has no tensor ${describe(name)}; it has ${this.tensors.length}, the first ${describe(this.tensors[0]?.name)}`,
      { tensor: name },
    );
  }

  /**
   * A tensor's bytes as stored.
   * @param {string} name
   * @param {{ signal?: AbortSignal }} [options]
   */
  async bytes(name, options) {
    const { signal } = requireReadOptions(options, { signal: 'object' });
    const { offset, length } = this.range(name);
    return this.#source.read(offset, length, signal);
  }

  /**
   * Where a tensor's bytes are, in bytes, counted from the start of the file: whole rows of blocks that the file
   * has. Throws what is wrong with the tensor otherwise: MALFORMED, NOT_BLOCK_DIVISIBLE, SIZE_OVERFLOW, TRUNCATED,
   * UNKNOWN_ENCODING, and TENSOR_NOT_FOUND.
   * @param {string} name
   * @returns {{ offset: number, length: number }}
   */
  range(name) {
    this.tensor(name);
    return unwrap(this.#named.get(name)?.range);
  }

  /**
   * Any bytes of the file.
   * @param {number} offset absolute
   * @param {number} length
   * @param {{ signal?: AbortSignal }} [options]
   */
  async read(offset, length, options) {
    const { signal } = requireReadOptions(options, { signal: 'object' });
    requireWhole('offset', offset);
    return this.#source.read(offset, requireWhole('length', length), signal);
  }

  /**
   * A tensor in the module's memory, read by windows.
   * @param {string} name
   * @param {ViewOptions} [options]
   * @returns {Promise<View>}
   */
  async view(name, options) {
    const { weightForm, scope, sink, signal, onProgress } = requireReadOptions(options, {
      weightForm: 'object',
      scope: 'object',
      sink: 'object',
      signal: 'object',
      onProgress: 'function',
    });
    const form = this.#form(weightForm);
    const tensor = this.tensor(name);
    const { core } = this.#context;
    const keeper = this.#context.sink(sink);
    const owner = scope ?? this.#pw.scope({ name });
    /** @type {any} */
    let load;
    try {
      const started = core.startLoad(
        tensor,
        this.littleEndian,
        form,
        this.size,
        Scope.handleOf(owner),
        keeper.handle,
      );
      // The reader of the header knows at which byte of it the mistake stands.
      if (started.offset !== undefined) this.range(name);
      load = unwrap(started);
      await this.#feed(load, signal, onProgress);
      const view = new View(this.#context, unwrap(load.finish()), owner);
      return scope === undefined ? View.owning(view) : view;
    } catch (error) {
      // A load that is given up gives its memory back; its scope must still be there for that.
      load?.delete();
      load = undefined;
      if (scope === undefined) owner.close();
      throw error;
    } finally {
      load?.delete();
    }
  }

  /**
   * What KERNEL_FEED would do to each tensor, before anything is read: `bytes` it takes, or the reason why
   * it cannot be fed.
   * @returns {{ tensor: string, feedable: boolean, reason: string | null, bytes: number | null }[]}
   */
  feedReport() {
    return this.tensors.map((tensor) => {
      const { name, byteLength: bytes } = tensor;
      const { feedable, reason } = this.#context.core.feedable(tensor, this.littleEndian);
      const range = this.#named.get(name)?.range;
      return feedable && range.failed
        ? { tensor: name, feedable: false, reason: range.message, bytes }
        : { tensor: name, feedable, reason, bytes };
    });
  }

  /** Closes the source: nothing is read any more (DISPOSED). Views, and what the header says, stay as they are. */
  async close() {
    await this.#source.close();
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  /**
   * @param {any} load
   * @param {AbortSignal} [signal]
   * @param {(progress: { bytesRead: number, totalBytes: number }) => void} [onProgress]
   */
  async #feed(load, signal, onProgress) {
    const range = load.range();
    let bytesRead = 0;
    for await (const { bytes, length } of windowsOf(this.#source, range, { signal })) {
      const window = /** @type {Uint8Array} */ (bytes);
      this.#context.heap.stage(window, 'a window of the file', (address, count) =>
        unwrap(load.accept(address, count)),
      );
      bytesRead += length;
      onProgress?.({ bytesRead, totalBytes: range.length });
    }
  }

  /** @param {WeightForm | 'streaming' | 'legacy'} [weightForm] */
  #form(weightForm) {
    const given =
      typeof weightForm === 'string'
        ? unwrap(this.#context.core.readerConvention(weightForm))
        : weightForm;
    const {
      shape = 'AS_STORED',
      order = 'AS_STORED',
      encoding = 'keep',
    } = requireOptions(given, { shape: '', order: '', encoding: '' }, 'weightForm');
    requireOneOf('weightForm.shape', shape, /** @type {const} */ (['AS_STORED', 'OUT_IN']));
    requireOneOf('weightForm.order', order, /** @type {const} */ (['AS_STORED', 'KERNEL_FEED']));
    requireOneOf('weightForm.encoding', encoding, /** @type {const} */ (['keep', 'dequantize']));
    return { shape, order, encoding };
  }

  /** @param {any} info @returns {Readonly<GgufTensor>} */
  #tensor({ name, ne, ggmlType, encoding, offset, byteLength }) {
    const elements = encoding === null ? null : this.#pw.encodings[encoding].elements;
    const inputDim = ne[0] ?? 1;
    return Object.freeze({
      name,
      ne: Object.freeze(ne),
      shape: Object.freeze([...ne].reverse()),
      encoding,
      ggmlType,
      typeName: encoding ?? this.#context.core.describeGgmlType(ggmlType),
      offset,
      byteLength,
      blocksPerRow: elements === null || inputDim % elements !== 0 ? null : inputDim / elements,
    });
  }
}
