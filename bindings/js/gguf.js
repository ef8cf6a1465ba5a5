import { PackedError, describe, requireOneOf, unwrap } from './errors.js';
import { readMetadata, storedMetadata } from './metadata.js';
import { Scope } from './scope.js';
import { openSource } from './source.js';
import { View } from './view.js';

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
 */

/**
 * @typedef {object} ViewOptions
 * @property {{ shape?: 'OUT_IN' | 'AS_STORED', order?: 'AS_STORED' | 'KERNEL_FEED' }} [weightForm] `shape`:
 *   OUT_IN (the default here) relabels ne = [in, out] as [out, in]; no byte changes. `order`: KERNEL_FEED
 *   prepacks for the kernels
 * @property {Scope} [scope]
 * @property {import('./trace.js').Sink} [sink]
 * @property {AbortSignal} [signal]
 * @property {(progress: { bytesRead: number, totalBytes: number }) => void} [onProgress]
 */

const windowBytes = 8 << 20;

/**
 * @param {import('./context.js').Context} context
 * @param {any} pw
 * @param {unknown} sourceLike
 * @param {OpenOptions} options
 */
export async function openGguf(context, pw, sourceLike, { signal, onProgress } = {}) {
  const source = await openSource(sourceLike, signal);
  try {
    const header = await readHeader(context, source, signal, onProgress);
    return new GgufFile(context, pw, source, header);
  } catch (error) {
    await source.close();
    throw error;
  }
}

/**
 * Feeds the incremental reader until it has the whole header.
 * @param {import('./context.js').Context} context
 * @param {import('./source.js').Source} source
 * @param {AbortSignal} [signal]
 * @param {(progress: { bytesRead: number, totalBytes: number }) => void} [onProgress]
 */
async function readHeader({ core, heap }, source, signal, onProgress) {
  const reader = core.makeHeaderReader(source.size);
  try {
    for (let wanted = reader.wantedBytes(); wanted > 0; wanted = reader.wantedBytes()) {
      const bytes = await source.read(reader.position(), wanted, signal);
      const address = reader.spaceAddress(wanted);
      heap.bytes(address, wanted).set(bytes);
      reader.commit(wanted);
      onProgress?.({ bytesRead: reader.position(), totalBytes: source.size });
    }
    unwrap(reader.refusal());
    const description = reader.description();
    const ranges = description.tensors.map((/** @type {any} */ _, /** @type {number} */ i) =>
      reader.rangeOf(i),
    );
    return { ...description, bytes: reader.headerBytes(), ranges };
  } finally {
    reader.delete();
  }
}

/** An open GGUF file: its description is here, its tensors are read when asked for. */
export class GgufFile {
  #context;
  #pw;
  #source;
  /** @type {Map<string, any>} */
  #ranges;
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
    this.metadata = readMetadata(header.bytes, header.littleEndian, header.metadata);
    this.#stored = () => {
      if (this.littleEndian) return storedMetadata(header.bytes, header.metadata);
      throw new PackedError(
        'UNSUPPORTED_ENCODING',
        `${this.name} is big-endian: its metadata can be read, but not written again as it is stored`,
      );
    };
    /** @readonly @type {ReadonlyArray<Readonly<GgufTensor>>} */
    this.tensors = Object.freeze(
      header.tensors.map((/** @type {any} */ info) => this.#tensor(info)),
    );
    this.#ranges = new Map();
    header.tensors.forEach((/** @type {any} */ { name }, /** @type {number} */ i) => {
      if (!this.#ranges.has(name)) this.#ranges.set(name, header.ranges[i]);
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
    const found = this.tensors.find((tensor) => tensor.name === name);
    if (found) return found;
    throw new PackedError(
      'TENSOR_NOT_FOUND',
      `${this.name} has no tensor ${describe(name)}; it has ${this.tensors.length}, the first ${describe(this.tensors[0]?.name)}`,
      { tensor: String(name) },
    );
  }

  /**
   * A tensor's bytes as stored.
   * @param {string} name
   * @param {{ signal?: AbortSignal }} [options]
   */
  async bytes(name, { signal } = {}) {
    const { offset, length } = this.#range(name);
    return this.#source.read(offset, length, signal);
  }

  /**
   * Any bytes of the file.
   * @param {number} offset absolute
   * @param {number} length
   * @param {{ signal?: AbortSignal }} [options]
   */
  async read(offset, length, { signal } = {}) {
    return this.#source.read(offset, length, signal);
  }

  /**
   * A tensor in the module's memory, read by windows.
   * @param {string} name
   * @param {ViewOptions} [options]
   * @returns {Promise<View>}
   */
  async view(name, { weightForm = {}, scope, sink, signal, onProgress } = {}) {
    const { shape = 'OUT_IN', order = 'AS_STORED' } = weightForm;
    requireOneOf('weightForm.shape', shape, /** @type {const} */ (['OUT_IN', 'AS_STORED']));
    requireOneOf('weightForm.order', order, /** @type {const} */ (['AS_STORED', 'KERNEL_FEED']));
    const tensor = this.tensor(name);
    const range = this.#range(name);
    if (!this.littleEndian) {
      throw new PackedError(
        'UNSUPPORTED_ENCODING',
        `${this.name} is big-endian: its tensor bytes can be read, but not viewed as values`,
        { tensor: name },
      );
    }
    this.#refuseUnfeedable(tensor, shape, order);
    const sizes = shape === 'OUT_IN' ? tensor.shape : tensor.ne;
    const owner = scope ?? this.#pw.scope({ name });
    try {
      const view = this.#pw.emptyView({
        encoding: tensor.encoding,
        shape: sizes,
        order: 'ROW_MAJOR',
        scope: owner,
      });
      await this.#fill(view, range, signal, onProgress);
      if (shape === 'OUT_IN' && tensor.ne.length > 1) tellReversed(this.#context, sink, tensor);
      if (order === 'AS_STORED') return scope ? view : View.owning(view);
      const fed = view.prepackInPlace('INPUT_BLOCK_MAJOR', { sink });
      return scope ? fed : View.owning(fed);
    } catch (error) {
      if (!scope) owner.close();
      throw error;
    }
  }

  /** Closes the source where it needs that (a file of Node). Views stay as they are. */
  async close() {
    await this.#source.close();
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close();
  }

  /**
   * @param {View} view
   * @param {{ offset: number, length: number }} range
   * @param {AbortSignal} [signal]
   * @param {(progress: { bytesRead: number, totalBytes: number }) => void} [onProgress]
   */
  async #fill(view, { offset, length }, signal, onProgress) {
    for (let done = 0; done < length;) {
      const size = Math.min(windowBytes, length - done);
      const bytes = await this.#source.read(offset + done, size, signal);
      this.#pw.writeInto(view, done, bytes);
      done += size;
      onProgress?.({ bytesRead: done, totalBytes: length });
    }
  }

  /**
   * @param {Readonly<GgufTensor>} tensor
   * @param {string} shape
   * @param {string} order
   */
  #refuseUnfeedable(tensor, shape, order) {
    if (order !== 'KERNEL_FEED') return;
    const why =
      shape !== 'OUT_IN'
        ? "weightForm.order KERNEL_FEED needs weightForm.shape 'OUT_IN': a relayout driven by the [in, out] label permutes the wrong grid"
        : tensor.shape.length < 2
          ? `it has ${tensor.shape.length} dimension; only [out, in] weights and stacks of them are fed to kernels`
          : null;
    if (why === null) return;
    throw new PackedError('NOT_FEEDABLE', `${tensor.name} cannot be fed: ${why}`, {
      tensor: tensor.name,
    });
  }

  /** @param {string} name @returns {{ offset: number, length: number }} */
  #range(name) {
    this.tensor(name);
    return unwrap(this.#ranges.get(name));
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

/**
 * @param {import('./context.js').Context} context
 * @param {import('./trace.js').Sink | undefined} sink
 * @param {Readonly<GgufTensor>} tensor
 */
function tellReversed(context, sink, tensor) {
  if (!sink) return;
  const event = {
    kind: 'LabelReversed',
    what: tensor.name,
    from: `[${tensor.ne.join(', ')}]`,
    to: `[${tensor.shape.join(', ')}]`,
    startNanos: performance.now() * 1e6,
    nanos: 0,
  };
  if (typeof sink === 'function') sink(event);
  else sink.record(event);
}
