/**
 * The worker: owns the file, reads windows of it, asks the package, and draws. Everything it knows how to
 * answer is in `answers`; `grid` and `open` end what ran before, so the latest request wins.
 */
import { library, wholeLibrary } from './library.js';
import { openSource } from './source.js';
import { compareWith, nextMisplaced } from './compare.js';
import { validateOpened } from './report.js';
import { blockFacts, dropGrid, errorLevels, flatLevels, grid, showGrid } from './grid.js';
import {
  canvasHash,
  forgetFrames,
  frameLog,
  litAt,
  panelPng,
  play,
  setCanvas,
  setView,
  stopPlaying,
} from './painter.js';
import {
  chromeTrace,
  clearTrace,
  permutationOf,
  prepackShown,
  prepackedBytes,
  tensorBytes,
} from './relayout.js';

/** @type {AbortController} */
let running = new AbortController();
/** A check goes on while another tensor is chosen. */
let checking = new AbortController();

/**
 * What is told of the work on a question: what is done now, and at most every 50 ms how far it is.
 * @typedef {(what: string) => (done: number, total: number) => void} Told
 * @typedef {(patch: object) => void} Patch
 */

/** @param {Patch} patch @returns {Told} */
const telling = (patch) => (what) => {
  let last = -Infinity;
  return (done, total) => {
    const now = performance.now();
    if (now - last < 50) return;
    last = now;
    patch({ what, done, total });
  };
};

function restart() {
  running.abort();
  running = new AbortController();
  return running.signal;
}

function recheck() {
  checking.abort();
  checking = new AbortController();
  return checking.signal;
}

let readBytes = 0;

/** For tests: counts what is read of files from now on. */
function countReads() {
  for (const way of ['arrayBuffer', 'stream', 'text']) {
    const read = Blob.prototype[way];
    Blob.prototype[way] = function (...rest) {
      readBytes += this.size;
      return read.apply(this, rest);
    };
  }
}

/** @type {Record<string, (about: any, told: Told, patch: Patch) => any>} */
const answers = {
  async open(about, told, patch) {
    recheck();
    const arriving = (/** @type {object} */ arrived) => patch({ arrived });
    const opened = await openSource(about, restart(), told('Reading the table'), arriving);
    dropGrid();
    return opened;
  },
  async grid(about, told) {
    dropGrid();
    const shown = await showGrid(about, restart(), told(`Reading the scales of ${about.tensor}`));
    void bringTools();
    return shown;
  },
  block: blockFacts,
  errors: ({ key }, told) => errorLevels(key, running.signal, told),
  prepack: ({ key }, told) => prepackShown(key, running.signal, told),
  compare: (about, told) => compareWith(about, running.signal, told),
  nextMisplaced,
  validate: (how, told) => validateOpened(how, recheck(), told('Checking the values')),
  chromeTrace,
  clearTrace,
  tensorBytes: ({ key }, told) => tensorBytes(key, running.signal, told),
  prepackedBytes: ({ key }, told) => prepackedBytes(key, running.signal, told),
  permutation: ({ key }, told) => permutationOf(key, running.signal, told),
  levels: ({ key, channel }) => flatLevels(grid(key), channel),
  png: ({ panel, scale }) => panelPng(panel, scale),
  canvas({ canvas }) {
    setCanvas(canvas);
  },
  async isa() {
    return (await library()).isa;
  },
  // For tests: what the canvas holds, how long frames took, whether this worker could send something away, or measure
  // without a network.
  async benchIsThere() {
    await benchCode();
  },
  hash: ({ panel }) => canvasHash(panel),
  litAt,
  frames: () => frameLog(),
  forgetFrames,
  countReads,
  readSoFar: () => readBytes,
  async fetch({ url }) {
    try {
      await fetch(url);
      return 'sent';
    } catch (error) {
      return `refused: ${error.message}`;
    }
  },
};

self.addEventListener('message', async ({ data: message }) => {
  if (message.kind === 'view') return setView(message.seq, message.view);
  if (message.kind === 'play') return play(message);
  if (message.kind === 'stop-playing') return stopPlaying();
  if (message.kind === 'bench') return (await benchCode()).bench(message.plan);
  if (message.kind === 'stop-bench') return (await benchCode()).stopBench();
  if (message.kind === 'cancel') {
    restart();
    recheck();
    return;
  }
  if (message.kind !== 'ask') return;
  const { id, question, about } = message;
  try {
    const patch = (/** @type {object} */ of) => postMessage({ kind: 'progress', id, patch: of });
    const value = await answers[question](about, telling(patch), patch);
    postMessage({ kind: 'answer', id, value });
  } catch (error) {
    const { name, message: text, code, offset, tensor, rejected } = error;
    postMessage({
      kind: 'answer',
      id,
      error: { name, message: text, code, offset: Number(offset ?? NaN), tensor, rejected },
    });
  }
});

/** @type {Promise<void> | undefined} */
let tools;

/** Once something is to be seen: names of fields follow. Where it fails, whoever needs them is told so. */
function bringTools() {
  tools ??= wholeLibrary().then(
    () => {
      postMessage({ kind: 'tools', modules: fetchedModules() });
      // Needed without a network, where no second worker starts. A failure shows where it is waited for.
      benchCode().catch(() => {});
    },
    () => (tools = undefined),
  );
  return tools;
}

/** Names of the modules of WebAssembly that came, more than one where a check refused the first. */
function fetchedModules() {
  const names = performance
    .getEntriesByType('resource')
    .map(({ name }) => /(\w+)[^/]*\.wasm$/.exec(name)?.[1]);
  return [...new Set(names.filter(Boolean))];
}

const benchCode = () => import('./bench.js');

library().then(
  (pw) => postMessage({ kind: 'ready', isa: pw.isa }),
  (error) => postMessage({ kind: 'failed', message: error.message }),
);
