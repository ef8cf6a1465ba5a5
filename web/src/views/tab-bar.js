import { html } from 'lit';
import { Pane } from './pane.js';
import { setTab } from '../actions/links.js';

/** @type {Record<string, string>} in the order of the keys 1 to 6 */
export const TAB_NAMES = {
  orders: 'Orders',
  wrong: 'Wrong reading',
  compare: 'Compare',
  report: 'Report',
  trace: 'Trace',
  bench: 'Bench',
};

export class TabBar extends Pane {
  render() {
    const { tab, report, events } = this.state;
    const bad = report?.findings?.filter((f) => f.severity !== 'info').length ?? 0;
    /** @type {Record<string, string>} */
    const badges = {
      report: bad ? `${bad} ⚠` : '',
      trace: events.length ? String(events.length) : '',
    };
    return html`<div class="tabs" role="tablist" aria-label="Views" @keydown=${this.walk}>
      ${Object.entries(TAB_NAMES).map(
        ([id, name], i) =>
          html`<button
            role="tab"
            id="tab-${id}"
            aria-selected=${tab === id ? 'true' : 'false'}
            aria-controls="panel"
            tabindex=${tab === id ? 0 : -1}
            @click=${() => setTab(id)}
          >
            <span class="key" aria-hidden="true">${i + 1}</span> ${name}
            ${badges[id] ? html`<span class="badge">${badges[id]}</span>` : ''}
          </button>`,
      )}
    </div>`;
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const ids = Object.keys(TAB_NAMES);
    const at = ids.indexOf(this.state.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const id = ids[(to + ids.length) % ids.length];
    setTab(id);
    this.updateComplete.then(() =>
      /** @type {HTMLElement} */ (this.querySelector(`#tab-${id}`)).focus(),
    );
  }
}
