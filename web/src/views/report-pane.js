import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { Pane } from './pane.js';
import { copyText, setTab } from '../actions/links.js';
import { selectTensor } from '../actions/tensors.js';
import { check } from '../actions/report.js';
import { say } from '../page.js';
import { download, exportName, findingsMarkdown } from '../export.js';
import { formatBytes, formatCount, formatNumber, hex } from '../words.js';

const RANK = { error: 0, warning: 1, info: 2 };
const SIGN = { error: '✕ error', warning: '⚠ warning', info: 'ℹ info' };
const PROFILES = { spec: 'specification', llama: 'llama.cpp' };
const RULES = { spec: 'the specification', llama: 'the rules of llama.cpp' };
const COLUMNS = ['severity', 'rule', 'tensor', 'offset', 'message'];

const MOST_SHOWN = 1000;

/** What the table leaves out is said below it. @param {number} found */
function cut(found) {
  if (!found) return html`<p class="soft">No finding has these words.</p>`;
  if (found <= MOST_SHOWN) return '';
  return html`<p class="soft" id="cut">
    The first ${formatNumber(MOST_SHOWN)} of ${formatNumber(found)} are listed; the filter finds the
    others, and Copy and Save have all.
  </p>`;
}

/** What the validator found, to sort, filter and follow. */
export class ReportPane extends Pane {
  static properties = { sort: { state: true }, filter: { state: true } };

  constructor() {
    super();
    this.sort = { column: 'severity', up: true };
    this.filter = '';
  }

  render() {
    const { report, rejected, source, profile, notChecked } = this.state;
    return html`
      ${
        rejected
          ? html`<p class="note" id="rejected">
              <b><bdi>${rejected.name}</bdi></b> could not be opened. This is what the validator
              says about
              it${source ? html`; <bdi>${source.name}</bdi> is still shown in the other tabs` : ''}.
            </p>`
          : ''
      }
      <div class="tools">
        <fieldset>
          <legend>Profile</legend>
          ${Object.keys(PROFILES).map(
            (p) =>
              html`<label class="choice"
                ><input
                  type="radio"
                  name="profile"
                  value=${p}
                  .checked=${live(profile === p)}
                  @change=${() => check({ profile: p, tensorData: report?.tensorData ?? false })}
                />${PROFILES[p]}</label
              >`,
          )}
        </fieldset>
        <button
          class="primary"
          id="check-values"
          @click=${() => check({ profile, tensorData: true })}
        >
          Check values too
        </button>
        <button
          ?disabled=${!report}
          @click=${() => copyText(findingsMarkdown(report.findings), 'Report copied as Markdown.')}
        >
          Copy as Markdown
        </button>
        <button ?disabled=${!report} @click=${this.save}>Save as JSON</button>
        <label
          >Filter
          <input
            type="search"
            .value=${this.filter}
            @input=${(e) => (this.filter = e.target.value)}
        /></label>
      </div>
      ${notChecked ? this.without(notChecked) : ''}
      ${report ? this.table(report) : notChecked ? '' : html`<p class="soft">Checking …</p>`}
    `;
  }

  without({ reason, how }) {
    return html`<div class="refusal" id="not-checked">
      <p>
        <b>${how.tensorData ? 'Values not checked' : 'Not checked'} by ${RULES[how.profile]}.</b>
        ${reason}
      </p>
      <button @click=${() => check(how)}>Check</button>
    </div>`;
  }

  table(report) {
    const { rejected } = this.state;
    const text = (f) =>
      COLUMNS.map((c) => f[c] ?? '')
        .join(' ')
        .toLowerCase();
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = report.findings
      .filter((f) => words.every((w) => text(f).includes(w)))
      .sort(this.compare());
    const count = (s) => report.findings.filter((f) => f.severity === s).length;
    return html`
      <p id="summary">
        <span class="mono">${report.name}</span>:
        ${report.ok ? html`<b>Valid.</b>` : html`<b>Not valid.</b>`}
        ${formatCount(count('error'), 'error')}, ${formatCount(count('warning'), 'warning')},
        ${formatCount(count('info'), 'note')}; ${formatCount(report.tensorsChecked, 'tensor')}
        checked by ${RULES[report.profile]} in ${report.millis.toFixed(0)} ms,
        ${report.tensorData ? html`${formatBytes(report.bytesChecked)} of values included` : 'values not looked at'}.
      </p>
      ${
        report.findings.length
          ? html`<div class="scroll tall" role="region" aria-label="Findings" tabindex="0">
                <table class="findings" role="table">
                  <thead role="rowgroup">
                    <tr role="row">
                      ${COLUMNS.map((c) => {
                        const mine = this.sort.column === c;
                        return html`<th
                          scope="col"
                          role="columnheader"
                          aria-sort=${mine ? (this.sort.up ? 'ascending' : 'descending') : 'none'}
                        >
                          <button
                            class="quiet"
                            @click=${() => (this.sort = { column: c, up: mine ? !this.sort.up : true })}
                          >
                            ${c}${mine ? (this.sort.up ? ' ↑' : ' ↓') : ''}
                          </button>
                        </th>`;
                      })}
                    </tr>
                  </thead>
                  <tbody role="rowgroup">
                    ${shown.slice(0, MOST_SHOWN).map(
                      (f) =>
                        html`<tr role="row">
                          <td role="cell" class="severity ${f.severity}">${SIGN[f.severity]}</td>
                          <td role="cell" class="mono">${f.rule}</td>
                          <td role="cell">
                            ${f.tensor === null ? '' : rejected ? f.tensor : html`<button class="quiet" @click=${() => this.jump(f)}>${f.tensor || '(no name)'}</button>`}
                          </td>
                          <td role="cell" class="mono">
                            ${f.offset === null ? '' : hex(f.offset)}
                          </td>
                          <td role="cell">
                            ${f.message}${f.count > 1 ? html` <b>× ${formatNumber(f.count)}</b>` : ''}
                            ${f.file ? html`<span class="soft">${f.file}</span>` : ''}
                          </td>
                        </tr>`,
                    )}
                  </tbody>
                </table>
              </div>
              ${cut(shown.length)}`
          : html`<p>Nothing found.</p>`
      }
    `;
  }

  compare() {
    const { column, up } = this.sort;
    const value = (f) => (column === 'severity' ? RANK[f.severity] : (f[column] ?? ''));
    return (a, b) => {
      const [x, y] = [value(a), value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
    };
  }

  async jump({ tensor, o, b }) {
    setTab('orders');
    await selectTensor(tensor, { ...(o === null ? {} : { o }), ...(b === null ? {} : { b }) });
  }

  save() {
    const { report } = this.state;
    const name = exportName(report.name, '', 'report', 'json');
    download(
      name,
      new Blob([JSON.stringify({ schemaVersion: 1, ...report }, null, 1)], {
        type: 'application/json',
      }),
    );
    say(`Saved ${name}.`);
  }
}
