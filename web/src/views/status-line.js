import { html } from 'lit';
import { isolated } from './isolated.js';
import { Pane } from './pane.js';
import { cancel } from '../actions/tensors.js';
import { ORDERS, placeOf } from '../picture/arrangement.js';
import { saidHere } from '../state/said.js';
import { fileWords, formatBytes, formatNumber, formatValue } from '../words.js';
import { metadataList } from './metadata-list.js';

/** What happened last, with history; and where the reader is, for those who cannot see the picture. */
export class StatusLine extends Pane {
  render() {
    const { status } = this.state;
    const now = saidHere(this.state) ?? { text: fileText(this.state), tone: 'plain' };
    return html`<footer class="status">
      <p class="now ${now.tone ?? ''}" role="status" tabindex="-1" id="status">
        ${now.tone === 'error' ? 'Problem: ' : ''}${isolated(now.text)}
      </p>
      <details>
        <summary>History (${status.length})</summary>
        <ol>
          ${[...status].reverse().map((s) => html`<li>${s.tone === 'error' ? 'Problem: ' : ''}${isolated(s.text)}</li>`)}
        </ol>
      </details>
      <p class="hidden-text" aria-live="polite" id="where"></p>
    </footer>`;
  }

  updated() {
    if (this.later) return;
    // Throttled: a pointer crossing a thousand blocks is not a thousand sentences.
    this.later = setTimeout(() => {
      this.later = 0;
      const text = whereText(this.state);
      const place = this.querySelector('#where');
      if (place && place.textContent !== text) place.textContent = text;
    }, 500);
  }
}

/** @param {import('../page.js').store['state']} state */
const fileText = ({ source }) => (source ? `${fileWords(source)}.` : 'Loading …');

/** @param {import('../page.js').store['state']} state */
export function whereText({ grid, o, b, block }) {
  if (!grid) return '';
  const [file, kernel] = ORDERS.map((order) => formatNumber(placeOf(order, grid, { o, b })));
  const mine = block && block.o === o && block.b === b && block.key === grid.key;
  return `row ${formatNumber(o)}, block ${formatNumber(b)}; file place ${file}; kernel place ${kernel}${mine ? sizeOf(block) : ''}`;
}

/** What tells a block from its neighbours. @param {{ scale: number | null, values: Float32Array }} block */
function sizeOf({ scale, values }) {
  if (scale !== null) return `; scale ${formatValue(scale)}`;
  return `; ${values.length > 1 ? 'largest ' : ''}value ${formatValue(largestOf(values))}`;
}

/** @param {Float32Array} values */
function largestOf(values) {
  let most = 0;
  for (const v of values) if (Number.isNaN(v) || Math.abs(v) > Math.abs(most)) most = v;
  return most;
}

export class ProgressLine extends Pane {
  render() {
    const { progress } = this.state;
    if (!progress) return html``;
    const { what, done, total, arrived } = progress;
    return html`<div class="progress">
      <label for="progress"
        >${isolated(what)}${total ? `: ${formatBytes(done)} of ${formatBytes(total)}` : ' …'}</label
      >
      ${total ? html`<progress id="progress" max=${total} .value=${done}></progress>` : html`<progress id="progress"></progress>`}
      <button @click=${cancel}>Cancel (Esc)</button>
      ${arrived ? metadataList(arrived, `Metadata of ${arrived.name} so far`) : ''}
    </div>`;
  }
}
