import { PackedError } from './errors.js';

/** @type {FinalizationRegistry<number> | undefined} */
let abandoned;

/**
 * A file that Node has open, by the number that the system knows it by. Node's own FileHandle is an error once it is
 * forgotten without having been closed; this one is closed then. A number is used again for the next file that is
 * opened: so none is closed while something reads by it, and nothing reads by it afterwards.
 */
export class OpenFile {
  #fs;
  #fd;
  #closed = false;
  #reads = 0;
  /** @type {(() => void) | undefined} what waits for the last read */
  #idle;

  /**
   * Made by `OpenFile.open`.
   * @param {any} fs node:fs
   * @param {string} name for messages
   * @param {number} fd
   */
  constructor(fs, name, fd) {
    this.#fs = fs;
    this.#fd = fd;
    this.name = name;
    abandoned ??= new FinalizationRegistry((number) => fs.close(number, () => {}));
    abandoned.register(this, fd, this);
  }

  /**
   * @param {any} fs node:fs
   * @param {string | URL} path
   * @returns {Promise<OpenFile>}
   */
  static async open(fs, path) {
    const fd = await promised((done) => fs.open(path, 'r', done));
    return new OpenFile(fs, String(path), fd);
  }

  /** @returns {Promise<{ size: number, blocks: number, isFile: () => boolean, isDirectory: () => boolean }>} */
  stat() {
    return this.#using((fd, done) => this.#fs.fstat(fd, done));
  }

  /**
   * Bytes from `offset` on, as many as come at once; 0 at the file's end.
   * @param {Uint8Array} room
   * @param {number} offset
   * @returns {Promise<number>}
   */
  read(room, offset) {
    const length = Math.min(room.length, mostAtOnce);
    return this.#using((fd, done) => this.#fs.read(fd, room, 0, length, offset, done));
  }

  /**
   * The same without a step between two threads.
   * @param {Uint8Array} room
   * @param {number} offset
   * @returns {number}
   */
  readNow(room, offset) {
    return this.#fs.readSync(this.#open, room, 0, Math.min(room.length, mostAtOnce), offset);
  }

  /** Waits for what reads. Closing twice is allowed. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    abandoned?.unregister(this);
    if (this.#reads > 0) await new Promise((resolve) => (this.#idle = () => resolve(null)));
    await promised((done) => this.#fs.close(this.#fd, done));
  }

  get #open() {
    if (!this.#closed) return this.#fd;
    throw new PackedError('DISPOSED', `${this.name} has been closed: open it again`);
  }

  /**
   * What is under way holds this object, so that its number is not closed as a forgotten one's.
   * @param {(fd: number, done: Callback) => void} start
   * @returns {Promise<any>}
   */
  async #using(start) {
    const fd = this.#open;
    return promised((done) => {
      start(fd, (error, value) => {
        if (--this.#reads === 0) this.#idle?.();
        done(error, value);
      });
      // Not where it could not even be started.
      ++this.#reads;
    });
  }
}

/** @typedef {(error: unknown, value?: any) => void} Callback */

// Node counts the bytes of one read in 32 bits.
const mostAtOnce = 2 ** 30;

/**
 * @param {(done: Callback) => void} start
 * @returns {Promise<any>}
 */
function promised(start) {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value)));
  });
}
