import { documentOf, markdownOf, measured, ops, speedOf, verdictOf } from 'packed-weights/bench';
import { html, nothing, svg } from 'lit';
import { Pane } from './pane.js';
import { startBench, stopBench } from '../actions/bench.js';
import { copyText } from '../actions/links.js';
import { formatCount } from '../words.js';

/** @typedef {import('packed-weights/bench').BenchRow} BenchRow */

/** What each operation is, and what its rows are shares of. @type {Record<string, string>} */
const TITLES = {
  gemv: 'Matrix times one vector',
  gemm: 'Matrix times several vectors',
  prepack: 'Prepack: file order to kernel order',
  canonical: 'Kernel order to file order',
  relayoutInPlace: 'Relayout in place',
  disagreement: 'Disagreement: is every block where it should be',
  scan: 'Scan for NaN and infinity',
  decode: 'Decode to floats',
  quantize: 'Quantize',
  diagnose: 'Diagnosis of bytes that are nothing of the reference',
};

const SIGNS = { reached: '✓ reached', close: '≈ close', missed: '✕ missed' };

/** The bar is as wide as this many times the goal. */
const WIDEST = 1.5;

/** How fast the library is in this browser, beside what the machine can do at most. */
export class BenchPane extends Pane {
  static properties = { filter: { state: true } };

  constructor() {
    super();
    this.filter = '';
  }

  render() {
    const { bench } = this.state;
    const running = bench?.stage === 'running';
    const rows = bench?.rows ?? [];
    return html`
      <div class="tools">
        ${
          running
            ? html`<button class="primary" id="bench-stop" @click=${stopBench}>Stop</button>`
            : html`<button class="primary" id="bench-start" @click=${startBench}>
                ${bench ? 'Measure again' : 'Measure this browser'}
              </button>`
        }
        <button ?disabled=${!rows.length || running} @click=${this.copyMarkdown}>
          Copy as Markdown
        </button>
        <button ?disabled=${!rows.length || running} @click=${this.copyJson}>Copy as JSON</button>
        ${
          rows.length
            ? html`<label
                >Filter
                <input
                  type="search"
                  placeholder="Q4_K kernel"
                  .value=${this.filter}
                  @input=${(e) => (this.filter = e.target.value)}
              /></label>`
            : nothing
        }
      </div>
      ${bench ? this.results(bench) : introduction()}
    `;
  }

  /** @param {import('../actions/bench.js').BenchState} bench */
  results({ stage, message, isa, isaReason, calibration, rows, total }) {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = words.length
      ? rows.filter((row) => words.every((word) => textOf(row).includes(word)))
      : rows;
    return html`
      ${
        stage === 'running'
          ? html`<div class="progress" id="bench-progress">
              <progress
                aria-label="Measuring"
                max=${total || 1}
                .value=${total ? rows.length : 0}
              ></progress>
              <span>${total ? `${rows.length} of ${total} rows` : 'Calibrating …'}</span>
            </div>`
          : nothing
      }
      ${stage === 'failed' ? html`<p class="refusal">${message}</p>` : nothing}
      ${
        calibration
          ? html`<p id="bench-ceilings">
              Kernels: <b>${isa}</b> (${isaReason}). At most, here and now:
              <b>${calibration.dotCeiling.toFixed(0)} GOPS</b> of dot products,
              <b>${calibration.streamRead.toFixed(1)} GB/s</b> read,
              <b>${calibration.copy.toFixed(1)} GB/s</b> copied.
            </p>`
          : nothing
      }
      ${rows.length ? html`<p id="bench-summary">${summary(rows)}</p>` : nothing}
      ${ops.map((op) =>
        section(
          op,
          shown.filter((row) => row.op === op),
        ),
      )}
    `;
  }

  copyMarkdown() {
    const { calibration, rows } = this.state.bench;
    void copyText(markdownOf(calibration, rows), 'Bench copied as Markdown.');
  }

  copyJson() {
    const { calibration, rows } = this.state.bench;
    void copyText(JSON.stringify(documentOf(calibration, rows), null, 1), 'Bench copied as JSON.');
  }
}

function introduction() {
  return html`<p class="lead">
    Runs every operation of the library in this browser, in about a minute, and shows each as a
    share of what this machine can do at most in the same minute, beside the share that it should
    be. Nothing is sent anywhere.
  </p>`;
}

/** @param {BenchRow} row */
function textOf(row) {
  const { op, encoding, out, inputDim } = row;
  return `${op} ${encoding} ${measured(row)} ${out} x ${inputDim} ${verdictOf(row) ?? ''}`.toLowerCase();
}

/** @param {BenchRow[]} rows */
function counts(rows) {
  const verdicts = rows.map(verdictOf);
  return Object.keys(SIGNS).map((verdict) => verdicts.filter((v) => v === verdict).length);
}

/** @param {BenchRow[]} rows */
function summary(rows) {
  const [reached, close, missed] = counts(rows);
  return html`${formatCount(reached, 'goal')} reached, ${close} missed by less than a fifth,
  ${missed} by more.`;
}

/**
 * @param {string} op
 * @param {BenchRow[]} rows
 */
function section(op, rows) {
  if (!rows.length) return nothing;
  const [, , missed] = counts(rows);
  return html`<details class="bench" ?open=${op === 'gemv'}>
    <summary>
      <b>${TITLES[op]}</b>
      <span class="soft"
        >${formatCount(rows.length, 'row')}${missed ? html`, ${missed} missed` : ''}</span
      >
    </summary>
    <table class="measured" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">encoding</th>
          <th scope="col" role="columnheader">what</th>
          <th scope="col" role="columnheader" class="number">speed</th>
          <th scope="col" role="columnheader">beside its goal</th>
          <th scope="col" role="columnheader" class="number">share</th>
          <th scope="col" role="columnheader" class="number">goal</th>
          <th scope="col" role="columnheader">verdict</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(line)}
      </tbody>
    </table>
  </details>`;
}

/** @param {BenchRow} row */
function line(row) {
  const { encoding, out, inputDim, share, of, goal } = row;
  const what = measured(row);
  const verdict = verdictOf(row);
  const percent = (/** @type {number} */ part) => `${(100 * part).toFixed(0)} %`;
  return html`<tr role="row">
    <th scope="row" role="rowheader" class="mono">${encoding}</th>
    <td role="cell">${what ? `${what}, ` : nothing}<span>${out} × ${inputDim}</span></td>
    <td role="cell" class="number">${speedOf(row)}</td>
    <td role="cell" class="beside">${goal === null ? nothing : bar(share / goal, verdict)}</td>
    <td role="cell" class="number">
      ${of === 'fixed' ? nothing : `${percent(share)} of ${WORDS[of]}`}
    </td>
    <td role="cell" class="number of-goal">
      ${goal === null ? nothing : of === 'fixed' ? fixed(row) : percent(goal)}
    </td>
    <td role="cell" class="verdict-word ${verdict ?? ''}">${verdict ? SIGNS[verdict] : nothing}</td>
  </tr>`;
}

/** @type {Record<string, string>} */
const WORDS = {
  dotCeiling: 'dots',
  streamRead: 'read',
  copy: 'copy',
  singleColumns: 'single columns',
  relayout: 'out of place',
};

/** @param {BenchRow} row */
function fixed({ ceiling }) {
  return ceiling >= 1 ? `${ceiling} GB/s` : `${1000 * ceiling} MB/s`;
}

/**
 * The mark is the goal. A picture of the two numbers beside it.
 * @param {number} ofGoal
 * @param {string | null} verdict
 */
function bar(ofGoal, verdict) {
  const width = (100 * Math.min(ofGoal, WIDEST)) / WIDEST;
  const goal = 100 / WIDEST;
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<rect class="whole" width="100" height="10"></rect>
      <rect class=${verdict ?? ''} width=${width.toFixed(1)} height="10"></rect>
      <path class="goal" d="M${goal.toFixed(1)} 0 V10"></path>`}
  </svg>`;
}
