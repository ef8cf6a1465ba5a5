/** From an address to what it shows. */
import { decodeLink } from '../state/link.js';
import { say, store } from '../page.js';
import { openAddress, openSample, openStandIn, whenOpened } from './files.js';
import { keepUnknown, syncLink } from './links.js';
import { offerAgain } from './reopen.js';
import { visit } from './tensors.js';

/** @typedef {import('../state/link.js').LinkState} LinkState */

/** @param {string} hash */
export async function followLink(hash) {
  const { state, ignored } = decodeLink(hash);
  keepUnknown(state.unknown ?? {});
  await show(state);
  for (const text of ignored) say(`Link: ${text}; ignored.`, 'error');
}

/** @param {LinkState} link */
async function show(link) {
  const { source, tensor } = store.state;
  // What a link leaves out is as it was at the beginning, also for a reader who comes back to it.
  /** @type {LinkState} */
  const at = { wrap: 'memory', ...link };
  const wish = { at, how: /** @type {const} */ ('followed') };
  if (link.tab) store.set({ tab: link.tab });
  if (source && isOf(link, source)) {
    const name = link.tensor ?? tensor;
    if (name !== null) await visit(name, at, 'followed');
    return;
  }
  const address = new URLSearchParams(location.search).get('open');
  if (address && !link.sample) return openAddress(address, wish);
  if (!link.file && (link.sample || !link.tensor)) return openSample(link.sample ?? 'mixed', wish);
  whenOpened(at);
  const offered = await offerAgain(link.file);
  if (source) syncLink('waiting');
  else await openStandIn('waiting');
  const words = `${offered ? 'Open' : 'Drop'} ${link.file ?? 'the file'} again to restore this view.`;
  say(words, 'plain', { file: store.state.source?.name ?? null });
}

/** Whether a link can be of what is open: it names a sample, a file, or neither. @param {LinkState} link */
function isOf({ sample, file, tensor }, source) {
  if (sample) return source.sample === sample;
  if (file) return source.name === file;
  return tensor === undefined || !source.sample;
}
