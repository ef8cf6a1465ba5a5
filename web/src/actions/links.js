/** The address of what is shown. */
import { TABS, decodeLink, encodeLink } from '../state/link.js';
import { say, store } from '../page.js';

/** Keys of the link that are not ours, kept as they came. @type {Record<string, string>} */
let unknownKeys = {};

/** @param {Record<string, string>} keys */
export function keepUnknown(keys) {
  unknownKeys = keys;
}

/** @returns {import('../state/link.js').LinkState} */
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

/** Whether the address is of a file that has yet to be opened: it stays, for another try. */
let waiting = false;

/**
 * Writes the address of what is shown.
 * @typedef {'chosen' | 'followed' | 'waiting'} How `chosen` by the reader: another tensor or tab is a new entry of
 *   the history; `followed`, the address was there before; `waiting` for its file, it is not of what is shown
 * @param {How} [how]
 */
export function syncLink(how = 'chosen') {
  clearTimeout(linkTimer);
  waiting = how === 'waiting';
  const hash = `#${encodeLink(linkState())}`;
  if (waiting || hash === location.hash) return;
  if (how === 'chosen' && location.hash.length > 1 && isElsewhere())
    history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
}

/** Whether the address is of another tensor or tab. */
function isElsewhere() {
  const { state: before } = decodeLink(location.hash);
  const now = linkState();
  return ['sample', 'tensor', 'tab'].some((key) => before[key] !== now[key]);
}

store.subscribe((now, before) => {
  const keys = ['o', 'b', 'cameras', 'channel', 'flight', 'divider', 'wrap'];
  if (!keys.some((k) => now[k] !== before[k])) return;
  clearTimeout(linkTimer);
  linkTimer = setTimeout(() => waiting || syncLink(), 250);
});

/** @param {boolean} withFile */
export async function copyLink(withFile) {
  if (!waiting) syncLink();
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

/** @param {string} tab */
export function setTab(tab) {
  if (!TABS.includes(tab)) return;
  store.set({ tab });
  syncLink();
}
