import { LitElement } from 'lit';
import { store } from '../page.js';
import { turn } from '../turns.js';

/** A part of the page that follows the store. It renders into the page itself, so the page's styles and labels reach it. */
export class Pane extends LitElement {
  /** Parts of the state without which it cannot be drawn. @type {string[]} */
  static needs = [];

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.stopListening = store.subscribe(() => this.requestUpdate());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.stopListening?.();
  }

  /** A pane that shows a weight rests while there is none: it hears of that before its parent removes it. */
  shouldUpdate() {
    const { needs } = /** @type {typeof Pane} */ (this.constructor);
    return needs.every((what) => store.state[what] !== null);
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  update(changed) {
    const held = this.contains(document.activeElement) ? document.activeElement : null;
    super.update(changed);
    if (held && !held.isConnected) this.refuge()?.focus({ preventScroll: true });
  }

  /** Where the keyboard goes on when the control that had it is gone. @returns {HTMLElement | null} */
  refuge() {
    return document.querySelector('#work');
  }

  scheduleUpdate() {
    const wait = turn();
    return wait ? wait.then(() => super.scheduleUpdate()) : super.scheduleUpdate();
  }

  get state() {
    return store.state;
  }
}
