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
import { chromeTrace, clearTrace, prepackShown, prepackedBytes, tensorBytes } from './relayout.js';

/** @type {AbortController} */
let running = new AbortController();
/** A check goes on while another tensor is chosen. */
let checking = new AbortController();

/** @param {string} what @returns {(done: number, total: number) => void} told at most every 50 ms */
function progress(what) {
  let last = 0;
  return (done, total) => {
    const now = performance.now();
    if (now - last < 50) return;
    last = now;
    postMessage({ kind: 'progress', what, done, total });
  };
}

/** @param {object} arrived what a file that is being opened has said so far */
const arriving = (arrived) => postMessage({ kind: 'arriving', arrived });

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

/** @type {Record<string, (about: any) => any>} */
const answers = {
  async open(about) {
    recheck();
    const opened = await openSource(about, restart(), progress('Reading the table'), arriving);
    dropGrid();
    return opened;
  },
  async grid(about) {
    dropGrid();
    const shown = await showGrid(
      about,
      restart(),
      progress(`Reading the scales of ${about.tensor}`),
    );
    void bringTools();
    return shown;
  },
  block: blockFacts,
  errors: ({ key }) => errorLevels(key, running.signal),
  prepack: ({ key }) => prepackShown(key, running.signal),
  compare: (about) => compareWith(about, running.signal),
  nextMisplaced,
  validate: (how) => validateOpened(how, recheck(), progress('Checking the values')),
  chromeTrace,
  clearTrace,
  tensorBytes: ({ key }) => tensorBytes(key),
  prepackedBytes: ({ key }) => prepackedBytes(key),
  levels: ({ key, channel }) => flatLevels(grid(key), channel),
  png: ({ panel, scale }) => panelPng(panel, scale),
  canvas({ canvas }) {
    setCanvas(canvas);
  },
  async isa() {
    return (await library()).isa;
  },
  // For tests: what the canvas holds, how long frames took, whether this worker could send something away.
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
    postMessage({ kind: 'answer', id, value: await answers[question](about) });
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
