/** Opening files and choosing what to look at. The latest request wins. */
import { FIT } from '../picture/camera.js';
import { ask, complain, firstView, rest, say, store, tellWorker } from '../page.js';
import { formatBytes, formatCount } from '../words.js';
import { stopBench } from './bench.js';
import { syncLink } from './links.js';
import { lookAt } from './looking.js';
import { check } from './report.js';

/** @typedef {import('../page.js').Source} Source */

let request = 0;

/** What a link asks of the next file. @type {import('../state/link.js').LinkState | null} */
let wanted = null;

/** @param {import('../state/link.js').LinkState | null} state */
export function whenOpened(state) {
  wanted = state;
}

/** @param {File[]} files one file, or all shards of a split set */
export function openFiles(files) {
  const list = [...files];
  if (!list.length) return Promise.resolve();
  return open({ files: list }, list.length > 1 ? `${list.length} shards` : list[0].name);
}

/** @param {string} address of a file on the page's own host: no other is allowed */
export function openAddress(address) {
  const url = new URL(address, location.href);
  return open({ url: url.href }, url.pathname);
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
    const { rejected, tab } = store.state;
    store.set({
      source,
      rejected: null,
      ...(about.files ? { reopen: null } : {}),
      tab: rejected && tab === 'report' ? rejected.tab : tab,
      tensor: null,
      grid: null,
      block: null,
      pin: null,
      wrong: null,
      report: null,
      notChecked: null,
      progress: null,
      slice: 0,
      label: 'OUT_IN',
    });
    say(
      `${source.name}: ${formatCount(source.tensors.length, 'tensor')}, ${formatBytes(source.size)}, GGUF version ${source.version}` +
        (source.sample ? '.' : `, table read in ${source.millis.toFixed(0)} ms.`),
    );
    const keep = wanted && (!wanted.file || wanted.file === source.name) ? wanted : null;
    const first = source.tensors.find((t) => t.name === keep?.tensor) ?? firstWorthSeeing(source);
    if (keep?.tensor && first?.name !== keep.tensor)
      say(`This file has no tensor ${keep.tensor}.`, 'error');
    wanted = null;
    const checking = () => check({ profile: store.state.profile, tensorData: false });
    if (!source.sample) checking();
    if (first) await selectTensor(first.name, keep ?? {});
    else syncLink(true);
    if (!source.sample) return;
    // What checks is in a part of the package that a first look does not wait for.
    await rest();
    if (store.state.block) await firstView;
    if (store.state.source === source && !store.state.rejected) checking();
  } catch (error) {
    if (mine !== request) return;
    store.set({ progress: null });
    complain(error);
    await reportRejected();
  }
}

/** A file that cannot be opened can still be checked; what was shown stays as it is. */
async function reportRejected() {
  const name = await ask('rejected');
  const { rejected, tab } = store.state;
  if (name === null) return;
  store.set({
    rejected: { name, tab: rejected?.tab ?? tab },
    report: null,
    notChecked: null,
    tab: 'report',
  });
  await check({ profile: store.state.profile, tensorData: false });
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
 * @param {import('../state/link.js').LinkState} [at]
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
  const { help, pin, progress, tab, bench } = store.state;
  if (help) return store.set({ help: false });
  if (progress) {
    request++;
    tellWorker('cancel');
    store.set({ progress: null });
    say('Cancelled.');
  } else if (tab === 'bench' && bench?.stage === 'running') {
    stopBench();
  } else if (pin) {
    store.set({ pin: null });
    say('Unpinned.');
  }
}
