/** Opening files. */
import { ask, complain, firstView, rest, say, store } from '../page.js';
import { fileWords } from '../words.js';
import { begin } from './latest.js';
import { syncLink } from './links.js';
import { beginReading } from './long.js';
import { check } from './report.js';
import { giveUpReading, selectTensor } from './tensors.js';

/**
 * @typedef {import('../page.js').Source} Source
 * @typedef {import('../state/link.js').LinkState} LinkState
 * @typedef {{ at?: LinkState, how?: import('./links.js').How }} Wish what a link asks of what is opened
 */

/** What a link asks of the next file. @type {LinkState | null} */
let wanted = null;

/** @param {LinkState} state */
export function whenOpened(state) {
  wanted = state;
}

/** @param {File[]} files one file, or all shards of a split set */
export function openFiles(files) {
  const list = [...files];
  if (!list.length) return Promise.resolve();
  return open({ files: list }, list.length > 1 ? `${list.length} shards` : list[0].name);
}

/** @param {string} address of a file on the page's own host: no other is allowed @param {Wish} wish */
export async function openAddress(address, wish) {
  if (!URL.canParse(address, location.href)) return refused({}, noAddress(address));
  const url = new URL(address, location.href);
  return open({ url: url.href }, url.pathname, wish);
}

/** @param {string} address */
function noAddress(address) {
  const text = `"${address}" after ?open= is no address. Name a file on this page's own host, as in ?open=model.gguf, or open one by the button.`;
  return Object.assign(new Error(text), { code: 'NO_ADDRESS' });
}

/** @param {string} id @param {Wish} [wish] */
export function openSample(id, wish) {
  return open({ sample: id }, `sample ${id}`, wish);
}

/** So that the page is not empty where what was asked for is not there. @param {import('./links.js').How} how */
export function openStandIn(how) {
  return open({ sample: 'mixed', standIn: true }, 'sample mixed', { how });
}

/** @param {any} about @param {string} name @param {Wish} [wish] */
async function open(about, name, { at = {}, how = 'chosen' } = {}) {
  const latest = begin();
  const { told, ended } = beginReading(`Reading ${name}`);
  try {
    const source = await ask('open', about, [], told).finally(ended);
    if (!latest()) return;
    giveUpReading();
    const { rejected, tab } = store.state;
    const accepted = {
      rejected: null,
      tab: rejected && tab === 'report' ? rejected.tab : tab,
      report: null,
      notChecked: null,
    };
    store.set({
      source,
      ...(about.standIn ? {} : accepted),
      ...(about.files ? { reopen: null } : {}),
      tensor: null,
      grid: null,
      notShown: null,
      block: null,
      pin: null,
      wrong: null,
      slice: 0,
      label: 'OUT_IN',
    });
    const took = source.sample ? '' : `, table read in ${source.millis.toFixed(0)} ms`;
    say(`${fileWords(source)}${took}.`, 'plain', { file: source.name });
    await look(source, about.files ? wishOf(source) : at, how);
  } catch (error) {
    if (latest()) await refused(about, error);
  }
}

/** What a link that waited for a file asks of this one. @param {Source} source */
function wishOf({ name }) {
  if (!wanted || (wanted.file && wanted.file !== name)) return {};
  const wish = wanted;
  wanted = null;
  return wish;
}

/** @param {Source} source @param {LinkState} at @param {import('./links.js').How} how */
async function look(source, at, how) {
  const { tensors, sample } = source;
  const named = tensors.find((t) => t.name === at.tensor);
  const first = named ?? firstWorthSeeing(source);
  if (at.tensor && !named) say(`This file has no tensor ${at.tensor}.`, 'error');
  const checking = () => check({ profile: store.state.profile, tensorData: false });
  if (!sample) checking();
  if (first) await selectTensor(first.name, named || !at.tensor ? at : { tab: at.tab }, how);
  else syncLink(how);
  if (!sample) return;
  // What checks is in a part of the package that a first look does not wait for.
  await rest();
  if (store.state.block) await firstView;
  if (store.state.source === source && !store.state.rejected) checking();
}

/** A file that cannot be opened can still be checked; what was shown stays as it is. */
async function refused(about, error) {
  const { rejected: before, tab, source } = store.state;
  const { rejected: name } = error;
  giveUpReading();
  if (name !== undefined) {
    store.set({
      rejected: { name, tab: before?.tab ?? tab },
      report: null,
      notChecked: null,
      tab: 'report',
    });
  }
  if (!source && !about.standIn) await openStandIn(about.sample ? 'followed' : 'waiting');
  complain(error);
  if (name !== undefined) await check({ profile: store.state.profile, tensorData: false });
}

/** @param {Source} source the first block-quantized matrix, or whatever there is */
function firstWorthSeeing({ tensors }) {
  const readable = tensors.filter((t) => !t.refusal);
  const matrix = readable.find((t) => t.shape.length > 1 && t.blockElements > 1);
  return matrix ?? readable[0] ?? tensors[0];
}
