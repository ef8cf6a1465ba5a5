import { html, render } from 'lit';
import { listenToDrops } from './drop.js';
import { ELEMENTS } from './views/elements.js';
import { listenToKeys } from './keyboard.js';
import { ask, quiet, store } from './page.js';
import { followLink } from './actions/follow.js';
import { blockMillis, frames } from './actions/looking.js';
import { colours, storeTheme } from './theme.js';

function showTheme() {
  const { theme } = store.state;
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

for (const [name, element] of Object.entries(ELEMENTS)) customElements.define(name, element);

const root = /** @type {HTMLElement} */ (document.querySelector('#page'));
root.className = '';
root.replaceChildren();
showTheme();
store.subscribe((now, before) => {
  if (now.theme === before.theme) return;
  storeTheme(now.theme);
  showTheme();
});
render(html`<page-frame></page-frame>`, root);
listenToKeys();
listenToDrops();
addEventListener('hashchange', () => followLink(location.hash));

const started = followLink(location.hash);

// The browser lists it among its own marks of time.
const stopWaiting = store.subscribe(({ grid, block }) => {
  if (!grid || !block) return;
  stopWaiting();
  void quiet().then(() => performance.mark('first-view'));
});

/** For tests and the console: when the page rests, and what it shows. */
Object.assign(globalThis, {
  packedPage: {
    async idle() {
      await started;
      for (let calm = 0; calm < 2;) {
        const before = store.state;
        await quiet();
        await nextFrame();
        calm = before === store.state ? calm + 1 : 0;
      }
    },
    store,
    ask,
    blockMillis,
    colours,
    frames,
  },
});

/** A frame, or a moment where a hidden page gets none. */
function nextFrame() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 50);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      setTimeout(resolve);
    });
  });
}
