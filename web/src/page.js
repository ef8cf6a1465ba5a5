/**
 * What every part of the page shares: the one store, the status line, and the worker that owns the file.
 * What can be done is in actions/.
 */
import { createStore } from './state/store.js';
import { link } from './worker-link.js';
import { FIT } from './picture/camera.js';
import { storedTheme } from './theme.js';
import { crowded } from './turns.js';
import { placeIn } from './state/said.js';

/**
 * @typedef {import('./picture/arrangement.js').Block} Block
 * @typedef {{ name: string, ne: number[], shape: number[], encoding: string | null, ggmlType: number,
 *   offset: number, byteLength: number | null, typeName: string, blockElements: number,
 *   refusal: { code: string, message: string, offset?: number } | null }} Tensor
 * @typedef {{ name: string, size: number, version: number, alignment: number, littleEndian: boolean,
 *   tensors: Tensor[], metadata: [string, string][], metadataCount: number, headerBytes: number, sample: string | null,
 *   shards: number, millis: number }} Source
 * @typedef {{ out: number, blocksPerRow: number, encoding: string, blockBytes: number, elements: number,
 *   offset: number, slices: number, tensor: string, slice: number, refusal: { code: string, message: string } | null,
 *   checksum: string | null, channels: string[], key: number }} GridFacts
 */

export const store = createStore({
  /** @type {Source | null} */ source: null,
  /** @type {string | null} */ tensor: null,
  slice: 0,
  label: 'OUT_IN',
  /** @type {GridFacts | null} */ grid: null,
  /** Why the chosen tensor cannot be shown. @type {string | null} */ notShown: null,
  /** Of what goes on, what began last (see actions/long.js). @type {import('./actions/long.js').Progress | null} */
  progress: null,
  tab: 'orders',
  channel: 'scale',
  wrap: 'memory',
  o: 0,
  b: 0,
  /** @type {Block | null} */ pin: null,
  /** @type {0 | 1} */ panel: 0,
  cameras: [{ ...FIT }, { ...FIT }],
  flight: 1,
  divider: 0.5,
  stage: { width: 0, height: 0, dpr: 1, stacked: false },
  /** @type {any} */ block: null,
  /** The block in hand, where it cannot be read. @type {Block & { key: number, why: string } | null} */ unread:
    null,
  /** @type {any} */ wrong: null,
  /** @type {any} */ comparison: null,
  /** @type {any} */ report: null,
  /** By whose rules files are checked. @type {'spec' | 'llama'} */ profile: 'spec',
  /** Why a check has ended without a report. @type {{ reason: string, how: import('./actions/report.js').How } | null} */
  notChecked: null,
  /** @type {import('./actions/bench.js').BenchState | null} */ bench: null,
  /** The file asked for last, where it could not be opened. @type {{ name: string, tab: string } | null} */
  rejected: null,
  /** Names of files that may be asked for again. @type {string[] | null} */ reopen: null,
  /** @type {any[]} */ events: [],
  /** @type {string | null} */ isa: null,
  /** Whether the package's tools are there, which come after the first view. */ tools: false,
  /** Names of the modules of WebAssembly that have been fetched. @type {string[]} */ modules: [],
  /** Whether the page's files are kept for a visit without a network; null while that is not known. @type {boolean | null} */
  offline: null,
  /** @type {import('./state/said.js').Said[]} */ status: [],
  theme: storedTheme(),
  hotkeys: true,
  table: false,
  help: false,
  dragging: false,
});

export const ask = link.ask;
export const tellWorker = link.tell;
export const onWorker = link.on;

/**
 * @typedef {import('./state/said.js').Place} Place
 *
 * @param {string} text
 * @param {'plain' | 'error'} [tone]
 * @param {Place} [about] where it is shown; without it, where the reader is
 */
export function say(text, tone = 'plain', about = here()) {
  store.set({ status: [...store.state.status.slice(-49), { text, tone, about }] });
}

/** @returns {Place} */
function here() {
  const { file, tensor, tab } = placeIn(store.state);
  return { file, tensor, tab };
}

/** @param {any} error @param {Place} [about] */
export function complain(error, about) {
  if (error?.name === 'AbortError') return say('Cancelled.', 'plain', about);
  say(explained(error), 'error', about);
}

/** An error as a sentence: its code, what it says, and where. @param {any} error */
export function explained(error) {
  const where = [
    error.tensor ? `tensor ${error.tensor}` : '',
    Number.isFinite(error.offset)
      ? `at file offset ${error.offset} (0x${Number(error.offset).toString(16)})`
      : '',
  ].filter(Boolean);
  const code = error.code ? `${error.code}: ` : '';
  const extra = where.filter((w) => !error.message.includes(w.split(' ').at(-1)));
  return `${code}${error.message}${extra.length ? ` (${extra.join(', ')})` : ''}`;
}

/** @param {Promise<any>} work @param {Place} [about] */
export async function attempt(work, about) {
  try {
    return await work;
  } catch (error) {
    complain(error, about);
    return undefined;
  }
}

link.on('ready', ({ isa }) => store.set({ isa }));
link.on('tools', ({ modules }) => store.set({ tools: true, modules }));
link.on('failed', ({ message }) => complain(new Error(message), {}));

export const drawView = link.draw;
/** When nothing is asked and what is known has been drawn. */
export async function rest() {
  do {
    await new Promise((resolve) => setTimeout(resolve));
    await link.quiet();
  } while (crowded());
}

/** When the first weight is drawn and a block of it is shown; the browser lists it among its own marks of time. */
export const firstView = new Promise((resolve) => {
  const stopWaiting = store.subscribe(({ grid, block }) => {
    if (!grid || !block) return;
    stopWaiting();
    void rest().then(() => resolve(performance.mark('first-view')));
  });
});
