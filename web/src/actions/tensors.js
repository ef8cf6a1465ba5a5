/** Choosing what to look at in the opened file. */
import { FIT } from '../picture/camera.js';
import { ask, complain, explained, say, store, tellWorker } from '../page.js';
import { stopBench } from './bench.js';
import { begin } from './latest.js';
import { syncLink } from './links.js';
import { beginReading, cancelAll } from './long.js';
import { lookAt, setChannel } from './looking.js';
import { holdFlight } from './prepack.js';

/**
 * @typedef {import('../state/link.js').LinkState} LinkState
 * @typedef {import('./links.js').How} How
 */

/** From when a tensor is chosen to when it is shown, or refused: until then the picture is of the one before. */
let reading = false;

/** The chosen tensor will not be shown, and the one before is gone. */
export function giveUpReading() {
  if (!reading) return;
  reading = false;
  const notShown = 'Its reading was given up. Choose it again to read it.';
  store.set({ grid: null, block: null, notShown });
}

/**
 * Reads a tensor and shows it.
 * @param {string} name
 * @param {LinkState} [at]
 * @param {How} [how]
 */
export async function selectTensor(name, at = {}, how = 'chosen') {
  const { slice = 0, label = 'OUT_IN' } = at;
  const tensor = store.state.source?.tensors.find((t) => t.name === name);
  if (!tensor) return say(`This file has no tensor ${name}.`, 'error');
  const place = { file: store.state.source?.name, tensor: name };
  const latest = begin();
  reading = true;
  store.set({
    tensor: name,
    slice,
    label,
    notShown: null,
  });
  const { told, ended } = beginReading(`Reading the scales of ${name}`, {
    total: tensor.byteLength ?? 0,
  });
  try {
    const grid = await ask('grid', { tensor: name, slice, label }, [], told).finally(ended);
    if (!latest()) return;
    reading = false;
    const { channel } = store.state;
    const kept = grid.channels.includes(channel) ? channel : 'scale';
    store.set({ grid, pin: null, wrong: null, block: null });
    const { refusal } = grid;
    if (refusal) say(`${refusal.code}: ${refusal.message}`, 'error', { grid: grid.key });
    show({ channel: kept, ...at }, how);
  } catch (error) {
    if (!latest()) return;
    reading = false;
    if (error.code === 'OUT_OF_RANGE' && slice) {
      await selectTensor(name, { ...at, slice: 0 }, how);
      return complain(error, place);
    }
    store.set({ grid: null, block: null, notShown: `${explained(error)} ${whatToDo(error)}` });
    complain(error, place);
    syncLink(how);
  }
}

/** @param {{ code?: string }} error why a tensor is not shown */
function whatToDo({ code }) {
  if (code === 'EMPTY') return 'There is nothing of it to see: choose another tensor.';
  if (code === 'NOT_BLOCK_DIVISIBLE')
    return 'Convert the model again, with rows of whole blocks or this tensor in F16; or choose another tensor.';
  return 'Choose another tensor; Report says what else is wrong with this file.';
}

/**
 * Goes to a view of the opened file, without reading again what is shown already.
 * @param {string} name
 * @param {LinkState} at
 * @param {How} how
 */
export function visit(name, at, how) {
  const { grid, tensor, slice, label, progress } = store.state;
  const { slice: wantedSlice = 0, label: wantedLabel = 'OUT_IN' } = at;
  const here = tensor === name && slice === wantedSlice && label === wantedLabel;
  if (here && grid && !progress) show({ channel: 'scale', ...at }, how);
  else return selectTensor(name, at, how);
}

/** What a link says of the shown grid. @param {LinkState} at @param {How} how */
function show(at, how) {
  const { grid } = store.state;
  const o = at.o !== undefined && at.o < grid.out ? at.o : 0;
  const b = at.b !== undefined && at.b < grid.blocksPerRow ? at.b : 0;
  const zoom = at.zoom ?? 0;
  const possible = grid.channels.includes(at.channel);
  store.set({
    o,
    b,
    cameras: [
      { ...FIT, z: zoom },
      { ...FIT, z: zoom },
    ],
    channel: possible && at.channel !== 'error' ? at.channel : 'scale',
    ...(at.tab ? { tab: at.tab } : {}),
    ...(at.wrap ? { wrap: at.wrap } : {}),
    ...(at.divider !== undefined ? { divider: at.divider } : {}),
  });
  if ((at.o ?? 0) !== o || (at.b ?? 0) !== b)
    say(
      `Block (${at.o ?? 0}, ${at.b ?? 0}) is outside this tensor; showing (${o}, ${b}).`,
      'error',
    );
  if (at.channel && !possible)
    say(`The colour channel ${at.channel} is not there for this tensor; showing scale.`, 'error');
  holdFlight(at.flight ?? 1);
  lookAt({ o, b }, true);
  // Its colours are decoded first.
  if (possible && at.channel === 'error') void setChannel('error').then(() => syncLink(how));
  else syncLink(how);
}

/** Stops what runs; a late answer is not shown. */
export function cancel() {
  const { help, pin, tab, bench } = store.state;
  if (help) return store.set({ help: false });
  if (cancelAll()) {
    begin();
    tellWorker('cancel');
    giveUpReading();
    say('Cancelled.');
    if (store.state.tensor) syncLink();
  } else if (tab === 'bench' && bench?.stage === 'running') {
    stopBench();
  } else if (pin) {
    store.set({ pin: null });
    say('Unpinned.');
  }
}
