/**
 * The page's side of the worker: questions with answers, one-way views for the picture, and the promise
 * that tests wait for.
 */
import { startWorker } from './start-worker.js';

function connectWorker() {
  const worker = startWorker();

  /** @type {Map<number, { resolve: (v: any) => void, reject: (e: Error) => void, onProgress?: (patch: object) => void }>} */
  const open = new Map();
  /** @type {Map<string, (message: any) => void>} */
  const told = new Map();
  /** What the worker said before anybody listened. @type {Map<string, any>} */
  const early = new Map();
  /** @type {(() => void)[]} */
  let waiting = [];
  let lastId = 0;
  let viewsSent = 0;
  let viewsDrawn = 0;

  worker.addEventListener('message', ({ data: message }) => {
    if (message.kind === 'answer') {
      const asked = open.get(message.id);
      open.delete(message.id);
      if (message.error) asked?.reject(asError(message.error));
      else asked?.resolve(message.value);
    } else if (message.kind === 'progress') {
      open.get(message.id)?.onProgress?.(message.patch);
    } else if (message.kind === 'drawn') {
      viewsDrawn = message.seq;
    } else {
      const listener = told.get(message.kind);
      if (listener) listener(message);
      else early.set(message.kind, message);
    }
    settle();
  });
  worker.addEventListener('error', (event) => {
    const error = new Error(`The worker stopped: ${event.message || 'it could not be loaded'}`);
    for (const asked of open.values()) asked.reject(error);
    open.clear();
    settle();
  });

  function settle() {
    if (open.size || viewsDrawn < viewsSent) return;
    const ready = waiting;
    waiting = [];
    // Answers are handled in microtasks, which may ask again.
    if (ready.length) setTimeout(() => ready.forEach((resolve) => resolve()));
  }

  return {
    /**
     * @param {string} question
     * @param {object} [about]
     * @param {Transferable[]} [transfer]
     * @param {(patch: object) => void} [onProgress]
     * @returns {Promise<any>}
     */
    ask(question, about = {}, transfer = [], onProgress = undefined) {
      const id = ++lastId;
      worker.postMessage({ kind: 'ask', id, question, about }, transfer);
      return new Promise((resolve, reject) => open.set(id, { resolve, reject, onProgress }));
    },
    /** @param {object} view what to draw; the newest one wins */
    draw(view) {
      worker.postMessage({ kind: 'view', seq: ++viewsSent, view });
    },
    /** @param {string} kind @param {object} [message] */
    tell(kind, message = {}) {
      worker.postMessage({ kind, ...message });
    },
    /** @param {string} kind @param {(message: any) => void} listener */
    on(kind, listener) {
      told.set(kind, listener);
      if (early.has(kind)) listener(early.get(kind));
    },
    /** @returns {Promise<void>} when nothing is asked and everything sent has been drawn */
    async quiet() {
      while (open.size || viewsDrawn < viewsSent) {
        await new Promise((resolve) => waiting.push(() => resolve(undefined)));
      }
    },
  };
}

export const link = connectWorker();

/** @param {{ name: string, message: string, code?: string, offset?: number, tensor?: string, rejected?: string }} from */
function asError({ name, message, ...rest }) {
  return Object.assign(new Error(message), { name, ...rest });
}
