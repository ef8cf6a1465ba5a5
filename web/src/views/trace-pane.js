import { html } from 'lit';
import { Pane } from './pane.js';
import { prepack } from '../actions/prepack.js';
import { ask, say, store } from '../page.js';
import { download, exportName } from '../export.js';
import { formatBytes } from '../words.js';

/** What the library did and what it cost. Nothing is relaid out without a line here. */
export class TracePane extends Pane {
  render() {
    const { events, grid } = this.state;
    const copied = events.reduce((sum, e) => sum + (e.kind === 'AdapterInserted' ? e.bytes : 0), 0);
    return html`
      <div class="tools">
        <button class="primary" ?disabled=${!grid} @click=${prepack}>
          Prepack the shown weight
        </button>
        <button ?disabled=${!events.length} @click=${this.save}>Save for Perfetto</button>
        <button ?disabled=${!events.length} @click=${this.clear}>Clear</button>
        <p>
          ${events.length ? `${events.length} events, ${formatBytes(copied)} copied by adapters` : ''}
        </p>
      </div>
      ${
        events.length
          ? html`<div class="scroll" role="region" aria-label="Events" tabindex="0">
              <table class="events" role="table">
                <thead role="rowgroup">
                  <tr role="row">
                    <th scope="col" role="columnheader">event</th>
                    <th scope="col" role="columnheader">what</th>
                    <th scope="col" role="columnheader" class="number">bytes</th>
                    <th scope="col" role="columnheader" class="number">time</th>
                  </tr>
                </thead>
                <tbody role="rowgroup">
                  ${events.map(
                    (e) =>
                      html`<tr role="row">
                        <td role="cell" class="mono">${e.kind}</td>
                        <td role="cell">${whatOf(e)}</td>
                        <td role="cell" class="number">
                          ${e.bytes === undefined ? '' : formatBytes(Number(e.bytes))}
                        </td>
                        <td role="cell" class="number">
                          ${Number(e.nanos ?? 0) ? `${(Number(e.nanos) / 1e6).toFixed(3)} ms` : ''}
                        </td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
          : html`<p class="soft">
              No events yet. A prepack writes here what it copied and how long it took.
            </p>`
      }
    `;
  }

  async save() {
    const { source, tensor } = this.state;
    const text = JSON.stringify(await ask('chromeTrace'));
    const name = exportName(source?.name ?? 'page', tensor ?? '', 'trace', 'json');
    download(name, new Blob([text], { type: 'application/json' }));
    say(`Saved ${name}: open it in Perfetto or chrome://tracing.`);
  }

  async clear() {
    store.set({ events: await ask('clearTrace') });
  }
}

/** @param {Record<string, any>} event */
function whatOf({ what, from, to, kernel, code, reason, scope, target }) {
  return [
    what ?? kernel ?? code ?? reason,
    from && to ? `${from} → ${to}` : '',
    target ?? '',
    scope ? `in ${scope}` : '',
  ]
    .filter(Boolean)
    .join(', ');
}
