import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { chooser } from './chooser.js';
import { Pane } from './pane.js';
import { openFiles, openSample } from '../actions/files.js';
import { canRemember, chooseAndRemember, reopen } from '../actions/reopen.js';
import { store } from '../page.js';
import { formatBytes } from '../words.js';

const SAMPLES = { mixed: 'Mixed encodings', million: 'A million blocks' };

export class HeaderBar extends Pane {
  render() {
    const { source, theme, isa, reopen: again } = this.state;
    return html`<header class="bar">
      <p class="brand">packed-weights</p>
      <div class="grow">
        <p class="dotted">
          ${source ? html`<b title=${source.name}>${source.name}</b> <span>${formatBytes(source.size)}</span>` : ''}
          <span class="soft">local, nothing leaves this page</span>
        </p>
      </div>
      <div class="actions">
        <button class="primary" @click=${chooseFiles}>Open…</button>
        ${again ? html`<button id="reopen" @click=${reopen}>Open <bdi>${again[0]}</bdi> again</button>` : ''}
        ${chooser({
          id: 'sample',
          label: html`<span class="hidden-text">Sample</span>`,
          choices: SAMPLES,
          does: 'Open sample',
          act: (id) => void openSample(id),
        })}
        <label class="hidden-text" for="theme">Theme</label>
        <select id="theme" @change=${(e) => store.set({ theme: e.target.value })}>
          ${['auto', 'light', 'dark'].map(
            (t) =>
              html`<option value=${t} .selected=${live(t === theme)}>
                ${t === 'auto' ? 'Theme: system' : `Theme: ${t}`}
              </option>`,
          )}
        </select>
        <button @click=${() => store.set({ help: true })}>Keys and help</button>
        <input
          id="file"
          class="hidden-text"
          type="file"
          multiple
          tabindex="-1"
          aria-label="GGUF file or shards"
          @change=${this.picked}
        />
      </div>
      <p class="hidden-text">Instruction set: ${isa ?? 'loading'}</p>
    </header>`;
  }

  refuge() {
    return this.querySelector('button.primary');
  }

  /** @param {Event} event */
  picked(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const files = [...(input.files ?? [])];
    input.value = '';
    openFiles(files);
  }
}

export function chooseFiles() {
  if (canRemember()) return chooseAndRemember();
  /** @type {HTMLInputElement} */ (document.querySelector('#file')).click();
}
