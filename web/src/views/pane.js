import { LitElement } from 'lit';
import { store } from '../page.js';

/** A part of the page that follows the store. It renders into the page itself, so the page's styles and labels reach it. */
export class Pane extends LitElement {
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

  get state() {
    return store.state;
  }
}
