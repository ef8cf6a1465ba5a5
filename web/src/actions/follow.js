/** From an address to what it shows. */
import { decodeLink } from '../state/link.js';
import { say, store } from '../page.js';
import { openAddress, openSample, selectTensor, whenOpened } from './files.js';
import { keepUnknown } from './links.js';
import { offerAgain } from './reopen.js';

/** @param {string} hash */
export async function followLink(hash) {
  const { state, ignored } = decodeLink(hash);
  keepUnknown(state.unknown ?? {});
  for (const text of ignored) say(`Link: ${text}; ignored.`, 'error');
  const { source } = store.state;
  const here =
    source &&
    (state.sample ? source.sample === state.sample : !state.file || state.file === source.name);
  if (here && state.tensor) return selectTensor(state.tensor, state);
  whenOpened(state);
  if (state.tab) store.set({ tab: state.tab });
  const address = new URLSearchParams(location.search).get('open');
  if (address && !state.sample) return openAddress(address);
  if (state.file || (!state.sample && state.tensor)) {
    const offered = await offerAgain(state.file);
    const name = state.file ?? 'the file';
    say(`${offered ? 'Open' : 'Drop'} ${name} again to restore this view.`);
    if (source) return;
    whenOpened(null);
    await openSample('mixed');
    whenOpened(state);
    return;
  }
  await openSample(state.sample ?? 'mixed');
}
