import { requireReadOptions } from './checked-source.js';
import { PackedError, requireOneOf } from './errors.js';
import { requireRoom } from './gguf.js';
import { openSource } from './source.js';
import { windowBytes, windowsOf } from './windows.js';

/**
 * Something that a rule says about a file.
 * @typedef {object} Finding
 * @property {string} rule its id, for example `tensors-overlap`
 * @property {'error' | 'warning' | 'info'} severity under the profile chosen
 * @property {string} message what, where and what to do
 * @property {number} [offset] absolute byte offset in the file
 * @property {number} [length] bytes concerned from there
 * @property {string} [tensor]
 * @property {number} [o] row of the tensor
 * @property {number} [b] block in the row
 * @property {number} count equal findings that this one stands for
 * @property {string} [expected]
 * @property {string} [actual]
 * @property {string} [file] where several are checked
 */

/**
 * @typedef {object} ValidationReport
 * @property {Finding[]} findings worst first, then in the order of the file
 * @property {number} tensorsChecked
 * @property {number} bytesChecked of tensor data
 * @property {number} bytesSkipped holes of a sparse file, taken as zeros unread
 * @property {boolean} ok no error, and something was checked: no tensors is no success
 */

/**
 * @typedef {object} ValidateOptions
 * @property {'spec' | 'llama'} [profile] what the format allows, or what llama.cpp loads
 * @property {boolean} [tensorData] whether to look at the bytes of tensors as well
 * @property {AbortSignal} [signal]
 * @property {(progress: { bytesRead: number, totalBytes: number }) => void} [onProgress]
 */

// So little that what has been copied is still in the processor's cache when it is looked at.
const pieceBytes = 256 << 10;

/**
 * @param {import('./context.js').Context} context
 * @param {unknown} sourceLike one source, or the shards of a split model
 * @param {ValidateOptions} [options]
 * @returns {Promise<ValidationReport>}
 */
export async function validate(context, sourceLike, options) {
  const given = requireReadOptions(options, {
    profile: '',
    tensorData: 'boolean',
    signal: 'object',
    onProgress: 'function',
  });
  const { profile = 'spec' } = given;
  requireOneOf('profile', profile, /** @type {const} */ (['spec', 'llama']));
  const sources = Array.isArray(sourceLike) ? sourceLike : [sourceLike];
  if (sources.length === 0) {
    throw new PackedError('INVALID_ARGUMENT', 'No source was given: there is nothing to check');
  }
  const many = sources.length > 1;
  /** @type {{ name: string, validator: any }[]} */
  const shards = [];
  try {
    for (const source of sources) shards.push(await pass(context, source, many, given));
    const together = many ? context.core.splitSetFindings(shards, profile) : [];
    const reports = shards.map(({ name, validator }) => {
      const report = validator.finish();
      if (many) report.findings.forEach((/** @type {Finding} */ finding) => (finding.file = name));
      return report;
    });
    return summed(reports, together);
  } finally {
    for (const { validator } of shards) validator.delete();
  }
}

/**
 * One file, from its first byte to its last.
 * @param {import('./context.js').Context} context
 * @param {unknown} sourceLike
 * @param {boolean} partOfSet
 * @param {ValidateOptions} options
 */
async function pass({ core, heap }, sourceLike, partOfSet, options) {
  const { profile = 'spec', tensorData = true, signal, onProgress } = options;
  const source = await openSource(sourceLike, signal);
  const validator = core.makeValidator(source.size, profile, tensorData, source.name, partOfSet);
  const totalBytes = source.size;
  const address = heap.keep('window', pieceBytes);
  const feed = (/** @type {Uint8Array} */ bytes) => {
    for (let done = 0; done < bytes.length; done += pieceBytes) {
      const piece = bytes.subarray(done, done + pieceBytes);
      if (!validator.pastHeader()) requireRoom(heap, validator.wantedOffset() + piece.length);
      heap.bytes(address, piece.length).set(piece);
      validator.feedFrom(address, piece.length);
    }
  };
  const wanted = () => ({ offset: validator.wantedOffset(), length: validator.wantedLength() });
  try {
    while (!validator.pastHeader()) {
      const { offset, length } = wanted();
      const size = Math.min(length, windowBytes);
      feed(await source.read(offset, size, signal));
      onProgress?.({ bytesRead: offset + size, totalBytes });
    }
    if (source.readInto) {
      await feedNow(source, validator, heap, options);
    } else {
      const windows = windowsOf(source, wanted(), { signal, holes: true });
      for await (const { offset, length, bytes } of windows) {
        if (bytes) feed(bytes);
        else validator.skipHole(length);
        onProgress?.({ bytesRead: offset + length, totalBytes });
      }
    }
    await source.close();
    return { name: source.name, validator };
  } catch (error) {
    validator.delete();
    // What closing says as well would hide it.
    await source.close().catch(() => {});
    throw error;
  }
}

/**
 * The data from a source that fills memory at once: what has been read is looked at before it has left the
 * processor's cache. Others have their turn after each window.
 * @param {import('./checked-source.js').Source} source
 * @param {any} validator past the header
 * @param {import('./heap.js').Heap} heap
 * @param {ValidateOptions} options
 */
async function feedNow(source, validator, heap, { signal, onProgress }) {
  const address = heap.keep('window', pieceBytes);
  let offset = validator.wantedOffset();
  const end = offset + validator.wantedLength();
  while (offset < end) {
    signal?.throwIfAborted();
    const data = Math.min((await source.nextData?.(offset)) ?? offset, end);
    if (data > offset) validator.skipHole(data - offset);
    offset = data;
    const stop = Math.min(offset + windowBytes, end);
    while (offset < stop) {
      const piece = heap.bytes(address, Math.min(pieceBytes, stop - offset));
      source.readInto?.(offset, piece);
      validator.feedFrom(address, piece.length);
      offset += piece.length;
    }
    onProgress?.({ bytesRead: offset, totalBytes: source.size });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * @param {ValidationReport[]} reports
 * @param {Finding[]} together
 * @returns {ValidationReport}
 */
function summed(reports, together) {
  const worst = { error: 0, warning: 1, info: 2 };
  const findings = [...together, ...reports.flatMap((report) => report.findings)];
  findings.sort((a, b) => worst[a.severity] - worst[b.severity]);
  const tensorsChecked = reports.reduce((sum, report) => sum + report.tensorsChecked, 0);
  const bytesChecked = reports.reduce((sum, report) => sum + report.bytesChecked, 0);
  const bytesSkipped = reports.reduce((sum, report) => sum + report.bytesSkipped, 0);
  const ok = tensorsChecked > 0 && findings.every(({ severity }) => severity !== 'error');
  return { findings, tensorsChecked, bytesChecked, bytesSkipped, ok };
}
