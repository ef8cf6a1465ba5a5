/** What the actions of state/hotkeys.js do. */
import { actionOf } from './state/hotkeys.js';
import { PICTURED, TABS } from './state/link.js';
import { say, store } from './page.js';
import { cancel } from './actions/tensors.js';
import { copyLink, setTab } from './actions/links.js';
import { frames, lookAt, nextChannel, setPin, walkMisplaced } from './actions/looking.js';
import { prepack } from './actions/prepack.js';
import { ORDERS, blockAt, cellOf, extent, lineAxis } from './picture/arrangement.js';
import { FIT, fitZoom } from './picture/camera.js';
import { chooseFiles } from './views/header-bar.js';

export function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (store.state.help && event.key !== 'Escape') return;
    const typing = target.matches(
      'input:not([type=radio], [type=checkbox], [type=range]), select, textarea',
    );
    const widget = target.matches(
      'button, input, summary, a, [role=gridcell], [role=tab], [tabindex="0"]',
    );
    const action = actionOf(event, { typing, widget });
    if (!action) return;
    // Letters alone can be switched off; Escape cannot.
    if (!store.state.hotkeys && action !== 'cancel') return;
    if (action === 'cancel' && typing) /** @type {HTMLElement} */ (target).blur();
    if (run(action)) event.preventDefault();
  });
}

/** @param {string} action @returns {boolean} whether it did something */
export function run(action) {
  const [verb, ...rest] = action.split(':');
  const handler = HANDLERS[verb];
  if (!handler || (OF_BLOCK.has(verb) && !isBlockShown())) return false;
  handler(...rest);
  return true;
}

/** What needs a block to be seen: elsewhere these keys are the browser's, which scrolls with some of them. */
const OF_BLOCK = new Set([
  'move',
  'pin',
  'goto',
  'panel',
  'misplaced',
  'bytes',
  'table',
  'zoom',
  'export',
]);

function isBlockShown() {
  const { grid, tab } = store.state;
  return grid !== null && PICTURED.includes(tab);
}

/** @type {Record<string, (...words: string[]) => void>} */
const HANDLERS = {
  open: () => chooseFiles(),
  filter() {
    document.querySelector('tensor-list').unfold();
    focusOn('#filter');
  },
  cancel: () => cancel(),
  tab: (id) => TABS.includes(id) && setTab(id),
  move,
  pin() {
    const { pin, o, b } = store.state;
    setPin(pin && pin.o === o && pin.b === b ? null : { o, b });
  },
  goto: () => focusOn('#goto'),
  panel() {
    const panel = store.state.panel ? 0 : 1;
    store.set({ panel });
    say(`Keys now walk in ${ORDERS[panel]}.`);
  },
  misplaced: (by) => walkMisplaced(Number(by)),
  bytes: () => focusOn('#bytes'),
  table: () => store.set({ table: !store.state.table }),
  zoom,
  prepack: () => void prepack(),
  channel: () => void nextChannel(),
  export: () => focusOn('#export'),
  link: () => void copyLink(false),
  theme() {
    const dark =
      store.state.theme === 'dark' ||
      (store.state.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
    store.set({ theme: dark ? 'light' : 'dark' });
  },
  help: () => store.set({ help: true }),
};

/** @param {string} selector */
function focusOn(selector) {
  const element = /** @type {HTMLElement | null} */ (document.querySelector(selector));
  element?.focus();
  element?.scrollIntoView({ block: 'nearest' });
}

function move(how, by) {
  const { grid, panel, wrap, o, b } = store.state;
  const axis = lineAxis(ORDERS[panel], wrap);
  const { lines, columns } = extent(grid, axis);
  const { line, column } = cellOf(axis, { o, b });
  const go = (toLine, toColumn) => lookAt(blockAt(axis, toLine, toColumn), true);
  if (how === 'line') go(line + Number(by), column);
  else if (how === 'column') go(line, column + Number(by));
  else if (how === 'home') go(line, 0);
  else if (how === 'end') go(line, columns - 1);
  else {
    const both = frames();
    const screen = both
      ? Math.max(1, Math.floor(both[panel].frame.rect.height / both[panel].frame.sy))
      : 16;
    go(line + Number(by) * Math.min(screen, lines), column);
  }
}

export function zoom(how) {
  const { cameras, o, b } = store.state;
  const both = frames();
  if (!both) return;
  if (how === 'fit') return store.set({ cameras: [{ ...FIT }, { ...FIT }] });
  // From the smaller fit on, so that the first step shows in both panels.
  const fit = Math.min(...both.map(({ frame }) => fitZoom(frame.rect, frame.extent)));
  const z = (cameras[0].z || fit) * (how === 'in' ? 1.5 : 1 / 1.5);
  store.set({
    cameras: cameras.map((c) => (z <= fit ? { ...FIT } : { ...c, z: Math.min(160, z) })),
  });
  lookAt({ o, b }, true);
}
