import { html, render } from 'lit';
import { listenToDrops } from './drop.js';
import { ELEMENTS } from './views/elements.js';
import { turn } from './turns.js';
import { listenToKeys } from './keyboard.js';
import { ask, rest, store } from './page.js';
import { followLink } from './actions/follow.js';
import { blockMillis, frames } from './actions/looking.js';
import { colours, showTheme, storeTheme } from './theme.js';
import { keepOnceSeen } from './offline.js';

/** Builds the page behind what the HTML shows, in small steps, and puts it in its place. */
export async function start() {
  started = followLink(location.hash);
  const first = /** @type {HTMLElement} */ (document.querySelector('#page'));
  const root = document.createElement('div');
  root.hidden = true;
  first.after(root);
  render(html`<page-frame></page-frame>`, root);
  for (const [name, element] of Object.entries(ELEMENTS)) {
    customElements.define(name, element);
    await turn();
  }
  first.remove();
  root.id = 'page';
  root.hidden = false;
  store.subscribe((now, before) => {
    if (now.theme === before.theme) return;
    storeTheme(now.theme);
    showTheme(now.theme);
  });
  listenToKeys();
  listenToDrops();
  keepOnceSeen();
  addEventListener('hashchange', () => followLink(location.hash));
}

/** @type {Promise<void> | undefined} */
let started;

/** For tests and the console: when the page rests, and what it shows. */
Object.assign(globalThis, {
  packedPage: {
    async idle() {
      while (document.querySelector('.first-paint')) await nextFrame();
      await started;
      for (let calm = 0; calm < 2;) {
        const before = store.state;
        await rest();
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
