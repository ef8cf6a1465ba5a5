import { html } from 'lit';
import { Folding } from './folding.js';
import { selectTensor } from '../actions/tensors.js';
import { formatBytes, formatCount, formatNumber } from '../words.js';

const MOST_SHOWN = 400;

export class TensorList extends Folding {
  static properties = { filter: { state: true } };

  constructor() {
    super();
    this.filter = '';
    /** @type {HTMLUListElement | null} */
    this.list = null;
    /** @type {string | null} */
    this.chosen = null;
    /** Whose tensors are filtered. @type {import('../page.js').Source | null} */
    this.of = null;
    this.resized = new ResizeObserver(() => this.showChosen());
  }

  willUpdate() {
    const { source } = this.state;
    // What was looked for in one file is not looked for in the next.
    if (source !== this.of) this.filter = '';
    this.of = source;
  }

  render() {
    const { source, tensor } = this.state;
    const all = source?.tensors ?? [];
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((t) => {
      const text = `${t.name} ${t.encoding ?? ''}`.toLowerCase();
      return words.every((w) => text.includes(w));
    });
    const shown = found.filter((t, i) => i < MOST_SHOWN || t.name === tensor);
    const list = html`<section aria-label="Tensor list" class="tensors">
      <label for="filter">Filter tensors</label>
      <input
        id="filter"
        type="search"
        autocomplete="off"
        spellcheck="false"
        placeholder="name or encoding"
        .value=${this.filter}
        @input=${(e) => (this.filter = e.target.value)}
        @keydown=${this.walk}
      />
      <p class="soft count">
        ${words.length ? `${found.length} of ${formatCount(all.length, 'tensor')}` : formatCount(all.length, 'tensor')}${found.length > MOST_SHOWN ? `; the first ${MOST_SHOWN} and the chosen one are listed, the filter finds the others` : ''}
      </p>
      <ul @keydown=${this.walk}>
        ${shown.map(
          (t) =>
            html`<li>
              <button
                aria-current=${t.name === tensor ? 'true' : 'false'}
                @click=${() => this.choose(t.name)}
              >
                <span class="name">${t.name || '(empty name)'}</span>
                <span class="facts">
                  <span
                    >${t.encoding ?? `type ${t.ggmlType}`} ·
                    ${t.byteLength === null ? 'size unknown' : formatBytes(t.byteLength)}</span
                  >
                  <span>ne [${t.ne.join(', ')}]</span>
                  <span>${outIn(t)}</span>
                </span>
              </button>
            </li>`,
        )}
      </ul>
    </section>`;
    if (this.roomy) return list;
    return html`<details class="folded">
      <summary>
        <h2>Tensors (${formatNumber(all.length)})</h2>
        <span>${tensor}</span>
      </summary>
      ${list}
    </details>`;
  }

  updated() {
    const list = this.querySelector('ul');
    if (list !== this.list) {
      this.resized.disconnect();
      this.resized.observe(list);
    } else if (this.state.tensor !== this.chosen) {
      this.showChosen();
    }
    this.list = list;
    this.chosen = this.state.tensor;
  }

  /** The chosen tensor is seen in the list, wherever it was chosen; the page stays where it is. */
  showChosen() {
    const chosen = this.list.querySelector('[aria-current=true]');
    if (!chosen) return;
    const [inner, outer] = [chosen, this.list].map((each) => each.getBoundingClientRect());
    if (inner.top < outer.top) this.list.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) this.list.scrollTop += inner.bottom - outer.bottom;
  }

  /** Shows the list where it is folded. */
  unfold() {
    const details = this.querySelector('details');
    if (details) details.open = true;
  }

  /** @param {string} name */
  choose(name) {
    const details = this.querySelector('details');
    if (details?.open) {
      details.open = false;
      details.querySelector('summary').focus();
    }
    return selectTensor(name);
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    event.stopPropagation();
    const stops = /** @type {HTMLElement[]} */ ([...this.querySelectorAll('#filter, ul button')]);
    const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    stops[
      Math.min(stops.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))
    ]?.focus();
  }
}

/** The engine's label beside the file's. @param {{ ne: number[] }} tensor */
function outIn({ ne }) {
  if (ne.length < 2) return `[${ne.join(', ')}]`;
  const names = ne.length === 2 ? '[out, in]' : '[…, out, in]';
  return `${names} [${[...ne].reverse().join(', ')}]`;
}
