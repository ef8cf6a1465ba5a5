import { html, nothing } from 'lit';
import { isolated } from './isolated.js';
import { Pane } from './pane.js';
import { PICTURED } from '../state/link.js';
import { TAB_NAMES } from './tab-bar.js';

/** Tabs that show something without a weight. */
const fileless = new Set(['report', 'trace', 'bench']);

/** The address is of what is shown, and stays so. @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.querySelector('#work').focus();
}

/** What a drop does. @param {string | false} compared the weight that bytes are held against in this tab */
function dropHere(compared) {
  return html`<div class="drop-here">
    <p>
      ${
        compared
          ? html`Drop below the tabs to hold it against <b><bdi>${compared}</bdi></b
              >, anywhere else to open it`
          : 'Drop a GGUF file, or all shards of one'
      }
    </p>
  </div>`;
}

/** The frame: what stands where, at every width. */
export class PageFrame extends Pane {
  render() {
    const { source, grid, tab, dragging, progress } = this.state;
    const pictured = PICTURED.includes(tab);
    const comparing = tab === 'compare' && grid !== null;
    return html`
      <a class="skip" href="#work" @click=${skip}>Skip to the weight</a>
      <header-bar></header-bar>
      ${source ? html`<file-strip></file-strip>` : nothing}
      <div class="columns">
        <nav class="side" aria-label="Tensors">
          <tensor-list></tensor-list>
          <orientation-box></orientation-box>
        </nav>
        <main class="work" id="work" tabindex="-1">
          <h1 class="hidden-text">${this.state.tensor || 'packed-weights'}</h1>
          <tab-bar></tab-bar>
          ${progress ? html`<progress-line></progress-line>` : nothing}
          <div
            class="panel"
            role="tabpanel"
            id="panel"
            aria-label=${TAB_NAMES[tab]}
            ?data-drop=${comparing}
            @files=${(e) => this.querySelector('compare-pane').take(e.detail)}
          >
            <weight-stage ?hidden=${!pictured || !grid}></weight-stage>
            ${this.pane(tab)}
            ${pictured && grid ? html`<block-inspector></block-inspector>` : nothing}
          </div>
        </main>
      </div>
      <status-line></status-line>
      <help-dialog></help-dialog>
      ${dragging ? dropHere(comparing && this.state.tensor) : nothing}
    `;
  }

  empty() {
    const { progress, notShown, source, tensor } = this.state;
    if (notShown && !progress) {
      return html`<div class="refusal" id="not-shown">
        <p>
          <b><bdi>${tensor || '(no name)'}</bdi> cannot be shown.</b>
        </p>
        <p>${isolated(notShown)}</p>
      </div>`;
    }
    const words = progress
      ? 'Reading …'
      : source && !source.tensors.length
        ? 'This file has no tensors: there is nothing to draw.'
        : 'Choose a tensor, or open a file.';
    return html`<p class="soft">${words}</p>`;
  }

  pane(tab) {
    if (!this.state.grid && !fileless.has(tab)) return this.empty();
    switch (tab) {
      case 'orders':
        return html`<orders-pane></orders-pane>`;
      case 'wrong':
        return html`<wrong-pane></wrong-pane>`;
      case 'compare':
        return html`<compare-pane></compare-pane>`;
      case 'report':
        return html`<report-pane></report-pane>`;
      case 'trace':
        return html`<trace-pane></trace-pane>`;
      case 'bench':
        return html`<bench-pane></bench-pane>`;
    }
    return nothing;
  }
}
