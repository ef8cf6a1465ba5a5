/**
 * The page without its looks: the one store, what can be done to it, and the worker that owns the file.
 */
import { createStore } from './state/store.js';
import { CHANNELS, TABS, decodeLink, encodeLink } from './state/link.js';
import { connectWorker } from './worker-link.js';
import { ORDERS, cellOf, blockAt, extent, lineAxis } from './picture/arrangement.js';
import { FIT, frameOf, reveal } from './picture/camera.js';
import { stageLayout } from './picture/stage-layout.js';
import { formatBytes, formatCount } from './words.js';

/**
 * @typedef {import('./picture/arrangement.js').Block} Block
 * @typedef {{ name: string, ne: number[], shape: number[], encoding: string | null, ggmlType: number,
 *   offset: number, byteLength: number | null, typeName: string }} Tensor
 * @typedef {{ name: string, size: number, version: number, alignment: number, littleEndian: boolean,
 *   tensors: Tensor[], metadata: [string, string][], headerBytes: number, sample: string | null,
 *   missing: string[], millis: number }} Source
 * @typedef {{ out: number, blocksPerRow: number, encoding: string, blockBytes: number, elements: number,
 *   offset: number, slices: number, tensor: string, slice: number, refusal: { code: string, message: string } | null,
 *   checksum: string | null, channels: string[], key: number }} GridFacts
 */

const link = connectWorker();

export const store = createStore({
  /** @type {Source | null} */ source: null,
  /** @type {string | null} */ tensor: null,
  slice: 0,
  label: 'OUT_IN',
  /** @type {GridFacts | null} */ grid: null,
  /** @type {{ what: string, done: number, total: number } | null} */ progress: null,
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
  /** @type {any} */ wrong: null,
  /** @type {any} */ comparison: null,
  /** @type {any} */ report: null,
  /** @type {any[]} */ events: [],
  /** @type {any} */ bench: null,
  /** @type {string | null} */ isa: null,
  /** @type {{ text: string, tone: 'plain' | 'error' }[]} */ status: [],
  theme: readTheme(),
  hotkeys: true,
  table: false,
  help: false,
  dragging: false,
});

export const ask = link.ask;
export const tellWorker = link.tell;

/** @type {Record<string, string>} keys of the link that are not ours */
let unknownKeys = {};
/** A link may name a file that only its reader can open. */
let wanted = /** @type {import('./state/link.js').LinkState | null} */ (null);
let request = 0;

/**
 * @param {string} text
 * @param {'plain' | 'error'} [tone]
 */
export function say(text, tone = 'plain') {
  store.set({ status: [...store.state.status.slice(-49), { text, tone }] });
}

/** @param {any} error */
export function complain(error) {
  if (error?.name === 'AbortError') return say('Cancelled.');
  const where = [
    error.tensor ? `tensor ${error.tensor}` : '',
    Number.isFinite(error.offset)
      ? `at file offset ${error.offset} (0x${Number(error.offset).toString(16)})`
      : '',
  ].filter(Boolean);
  const code = error.code ? `${error.code}: ` : '';
  const extra = where.filter((w) => !error.message.includes(w.split(' ').at(-1)));
  say(`${code}${error.message}${extra.length ? ` (${extra.join(', ')})` : ''}`, 'error');
}

/** @param {Promise<any>} work */
export async function attempt(work) {
  try {
    return await work;
  } catch (error) {
    complain(error);
    return undefined;
  }
}

// Files

/** @param {File[]} files one file, or all shards of a split set */
export function openFiles(files) {
  const list = [...files];
  if (!list.length) return Promise.resolve();
  return open({ files: list }, list.length > 1 ? `${list.length} shards` : list[0].name);
}

/** @param {string} id */
export function openSample(id) {
  return open({ sample: id }, `sample ${id}`);
}

async function open(about, name) {
  const mine = ++request;
  store.set({ progress: { what: `Reading ${name}`, done: 0, total: 0 } });
  try {
    const source = await ask('open', about);
    if (mine !== request) return;
    store.set({
      source,
      tensor: null,
      grid: null,
      block: null,
      pin: null,
      wrong: null,
      report: null,
      progress: null,
      slice: 0,
      label: 'OUT_IN',
    });
    say(
      `${source.name}: ${formatCount(source.tensors.length, 'tensor')}, ${formatBytes(source.size)}, GGUF version ${source.version}, ` +
        `table read in ${source.millis.toFixed(0)} ms.` +
        (source.missing.length ? ` Missing shards: ${source.missing.join(', ')}.` : ''),
    );
    const keep = wanted && (!wanted.file || wanted.file === source.name) ? wanted : null;
    const first = source.tensors.find((t) => t.name === keep?.tensor) ?? firstWorthSeeing(source);
    if (keep?.tensor && first?.name !== keep.tensor)
      say(`This file has no tensor ${keep.tensor}.`, 'error');
    wanted = null;
    if (first) await selectTensor(first.name, keep ?? {});
    else syncLink(true);
  } catch (error) {
    if (mine === request) {
      store.set({ progress: null });
      complain(error);
    }
  }
}

/** @param {Source} source the first block-quantized matrix, or whatever there is */
function firstWorthSeeing({ tensors }) {
  return (
    tensors.find((t) => t.encoding && t.shape.length > 1 && t.blockElements > 1) ??
    tensors.find((t) => t.encoding)
  );
}

/**
 * @param {string} name
 * @param {import('./state/link.js').LinkState} [at]
 */
export async function selectTensor(name, at = {}) {
  const slice = at.slice ?? 0;
  const label = at.label ?? 'OUT_IN';
  const mine = ++request;
  const tensor = store.state.source?.tensors.find((t) => t.name === name);
  if (!tensor) return;
  store.set({
    tensor: name,
    slice,
    label,
    progress: { what: `Reading the scales of ${name}`, done: 0, total: tensor.byteLength ?? 0 },
  });
  try {
    const grid = await ask('grid', { tensor: name, slice, label });
    if (mine !== request) return;
    const o = at.o !== undefined && at.o < grid.out ? at.o : 0;
    const b = at.b !== undefined && at.b < grid.blocksPerRow ? at.b : 0;
    if ((at.o ?? 0) !== o || (at.b ?? 0) !== b)
      say(`Block (${at.o}, ${at.b}) is outside this tensor; showing (0, 0).`, 'error');
    store.set({
      grid,
      o,
      b,
      pin: null,
      wrong: null,
      progress: null,
      block: null,
      cameras: [
        { ...FIT, z: at.zoom ?? 0 },
        { ...FIT, z: at.zoom ?? 0 },
      ],
      flight: at.flight ?? 1,
      channel:
        at.channel ?? (grid.channels.includes(store.state.channel) ? store.state.channel : 'scale'),
      ...(at.tab ? { tab: at.tab } : {}),
      ...(at.wrap ? { wrap: at.wrap } : {}),
      ...(at.divider !== undefined ? { divider: at.divider } : {}),
    });
    if (grid.refusal) say(`${grid.refusal.code}: ${grid.refusal.message}`, 'error');
    lookAt({ o, b }, true);
    syncLink(true);
  } catch (error) {
    if (mine === request) {
      store.set({ progress: null, grid: null, block: null });
      complain(error);
      syncLink(true);
    }
  }
}

/** Stops what runs; a late answer is not shown. */
export function cancel() {
  const { help, pin, progress } = store.state;
  if (help) return store.set({ help: false });
  if (progress) {
    request++;
    link.tell('cancel');
    store.set({ progress: null });
    say('Cancelled.');
  } else if (pin) {
    store.set({ pin: null });
    say('Unpinned.');
  }
}

// Block and cameras

/** @returns the two frames on screen, in device pixels */
export function frames(state = store.state) {
  const { grid, cameras, wrap, stage } = state;
  if (!grid || !stage.width) return null;
  return stageLayout(stage).map((rect, i) => {
    const axis = lineAxis(ORDERS[i], wrap);
    return { axis, frame: frameOf(rect, extent(grid, axis), cameras[i]) };
  });
}

/**
 * @param {Block} block
 * @param {boolean} [bothPanels] also move the panel that the pointer is in
 */
export function lookAt({ o, b }, bothPanels = false) {
  const { grid, panel, cameras } = store.state;
  if (!grid) return;
  const at = { o: clamp(o, grid.out), b: clamp(b, grid.blocksPerRow) };
  const both = frames();
  const moved = both
    ? cameras.map((camera, i) => {
        if (i === panel && !bothPanels) return camera;
        const { line, column } = cellOf(both[i].axis, at);
        const next = reveal(camera, both[i].frame, line, column);
        const same =
          Math.abs(next.line - camera.line) < 1e-9 && Math.abs(next.column - camera.column) < 1e-9;
        return same ? camera : next;
      })
    : cameras;
  store.set({ ...at, cameras: moved });
}

/** @param {number} v @param {number} size */
function clamp(v, size) {
  return Math.min(size - 1, Math.max(0, v));
}

/**
 * @param {number} lines
 * @param {number} columns
 */
export function step(lines, columns) {
  const { panel, wrap, o, b } = store.state;
  const axis = lineAxis(ORDERS[panel], wrap);
  const { line, column } = cellOf(axis, { o, b });
  lookAt(blockAt(axis, line + lines, column + columns), true);
}

/** @param {Block | null} pin */
export function setPin(pin) {
  store.set({ pin });
}

/** @param {string} tab */
export function setTab(tab) {
  if (!TABS.includes(tab)) return;
  store.set({ tab });
  syncLink(true);
}

export function nextChannel() {
  const { channel, grid } = store.state;
  const list = CHANNELS.filter((c) => !grid || grid.channels.includes(c));
  setChannel(list[(list.indexOf(channel) + 1) % list.length]);
}

/** @param {string} channel */
export async function setChannel(channel) {
  if (channel === 'error' && store.state.grid) {
    const ready = await attempt(ask('errors', { key: store.state.grid.key }));
    if (!ready) return;
  }
  store.set({ channel });
}

/**
 * To the next or previous block in the wrong place of the comparison.
 * @param {number} by 1 or -1
 */
export function walkMisplaced(by) {
  const { grid, comparison, o, b } = store.state;
  if (!grid || comparison?.gridKey !== grid.key || !comparison.misplaced) {
    return say('No comparison is shown: compare two files first.');
  }
  const { places } = comparison.misplaced;
  const total = places.length;
  for (let n = 1, at = o * grid.blocksPerRow + b; n <= total; n++) {
    const place = (at + by * n + total * 2) % total;
    if (places[place])
      return lookAt(
        { o: Math.floor(place / grid.blocksPerRow), b: place % grid.blocksPerRow },
        true,
      );
  }
  say('Every block is in its place.');
}

// Prepack

/** Runs the real relayout, and shows it. */
export async function prepack() {
  const { grid } = store.state;
  if (!grid) return;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (still) {
    const { flight } = store.state;
    store.set({ flight: flight >= 1 ? 0 : flight >= 0.5 ? 1 : 0.5 });
  } else {
    store.set({ flight: 0 });
    link.tell('play', { millis: 1200 });
  }
  const result = await attempt(ask('prepack', { key: grid.key }));
  if (!result) return;
  store.set({ events: [...store.state.events, ...result.events] });
  for (const event of result.events) {
    if (event.type === 'AdapterInserted') {
      say(
        `AdapterInserted ${event.kind}: ${formatBytes(event.bytes)} in ${(event.nanos / 1e6).toFixed(1)} ms.`,
      );
    }
  }
  if (!result.events.length) say('Nothing to do: this weight is in kernel order already.');
}

// Link

/** @returns {import('./state/link.js').LinkState} */
export function linkState(withFile = false) {
  const { source, tensor, slice, tab, o, b, cameras, channel, flight, divider, wrap, label } =
    store.state;
  const named = source
    ? source.sample
      ? { sample: source.sample }
      : withFile
        ? { file: source.name }
        : {}
    : {};
  return {
    ...named,
    ...(tensor ? { tensor } : {}),
    ...(slice ? { slice } : {}),
    tab,
    o,
    b,
    ...(cameras[0].z ? { zoom: Number(cameras[0].z.toFixed(3)) } : {}),
    channel,
    ...(flight < 1 ? { flight: Number(flight.toFixed(3)) } : {}),
    ...(tab === 'wrong' ? { divider: Number(divider.toFixed(3)) } : {}),
    ...(wrap !== 'memory' ? { wrap } : {}),
    ...(label !== 'OUT_IN' ? { label } : {}),
    ...(Object.keys(unknownKeys).length ? { unknown: unknownKeys } : {}),
  };
}

let linkTimer = 0;

/** @param {boolean} [push] a new entry of the history: only another tensor or tab */
export function syncLink(push = false) {
  clearTimeout(linkTimer);
  const hash = `#${encodeLink(linkState())}`;
  if (hash === location.hash) return;
  if (push && location.hash.length > 1) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
}

store.subscribe((now, before) => {
  const keys = ['o', 'b', 'cameras', 'channel', 'flight', 'divider', 'wrap'];
  if (!keys.some((k) => now[k] !== before[k])) return;
  clearTimeout(linkTimer);
  linkTimer = setTimeout(syncLink, 250);
});

/** @param {string} hash */
export async function followLink(hash) {
  const { state, ignored } = decodeLink(hash);
  unknownKeys = state.unknown ?? {};
  for (const text of ignored) say(`Link: ${text}; ignored.`, 'error');
  const { source } = store.state;
  const here =
    source &&
    (state.sample ? source.sample === state.sample : !state.file || state.file === source.name);
  if (here && state.tensor) return selectTensor(state.tensor, state);
  wanted = state;
  if (state.tab) store.set({ tab: state.tab });
  if (state.file || (!state.sample && state.tensor)) {
    say(`Drop ${state.file ?? 'the file'} again to restore this view.`);
    if (source) return;
    wanted = null;
    await openSample('mixed');
    wanted = state;
    return;
  }
  await openSample(state.sample ?? 'mixed');
}

/** @param {boolean} withFile */
export async function copyLink(withFile) {
  syncLink();
  const url = `${location.origin}${location.pathname}${location.search}#${encodeLink(linkState(withFile))}`;
  await copyText(url, 'Link copied.');
}

/**
 * @param {string} text
 * @param {string} done
 */
export async function copyText(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(`The browser does not let the page copy. Here it is: ${text}`);
  }
}

// Theme

function readTheme() {
  try {
    return localStorage.getItem('theme') ?? 'auto';
  } catch {
    return 'auto';
  }
}

/** @param {string} theme */
export function setTheme(theme) {
  try {
    if (theme === 'auto') localStorage.removeItem('theme');
    else localStorage.setItem('theme', theme);
  } catch {
    // A page without storage keeps its theme until it is closed.
  }
  store.set({ theme });
}

// The block under the pointer: one question at a time, then the newest

let blockAsked = false;

async function askBlock() {
  if (blockAsked) return;
  blockAsked = true;
  try {
    for (;;) {
      const { grid, o, b, block } = store.state;
      if (!grid || (block && block.key === grid.key && block.o === o && block.b === b)) return;
      const start = performance.now();
      const answer = await ask('block', { key: grid.key, o, b });
      blockMillis.push(performance.now() - start);
      if (blockMillis.length > 500) blockMillis.splice(0, 250);
      if (store.state.grid?.key === answer.key) store.set({ block: answer });
    }
  } catch (error) {
    if (error.name !== 'AbortError') complain(error);
  } finally {
    blockAsked = false;
  }
}

/** How long the last blocks took from pointer to numbers, for the budget's test. @type {number[]} */
export const blockMillis = [];

store.subscribe((now, before) => {
  if (now.grid && (now.grid !== before.grid || now.o !== before.o || now.b !== before.b))
    askBlock();
});

// Worker's news

link.on('progress', ({ what, done, total }) => {
  if (store.state.progress) store.set({ progress: { what, done, total } });
});
link.on('flight', ({ t }) => store.set({ flight: t }));
link.on('ready', ({ isa }) => store.set({ isa }));

export const drawView = link.draw;
export const quiet = link.quiet;
