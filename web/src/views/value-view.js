import { html, svg } from 'lit';
import { Pane } from './pane.js';
import { standIn } from './unread.js';
import { formatValue } from '../words.js';

const BINS = 24;

/** What the block decodes to. */
export class ValueView extends Pane {
  static needs = ['grid'];

  render() {
    const { block, grid } = this.state;
    const mine = block && block.key === grid.key ? block : null;
    if (!mine)
      return html`<section class="values" aria-label="Values">
        <h2>Values</h2>
        ${standIn(this.state)}
      </section>`;
    const { values, raw } = mine;
    const { min, max, mean, sigma, bad } = measures(values);
    return html`<section class="values" aria-label="Values">
      <h2>${values.length} decoded ${values.length === 1 ? 'value' : 'values'}</h2>
      ${bars(values, bad < values.length ? Math.max(Math.abs(min), Math.abs(max)) : NaN)}
      <dl class="facts">
        ${bad < values.length ? finiteFacts({ min, max, mean, sigma }) : ''}
        ${
          bad
            ? html`<div>
                <dt>not finite</dt>
                <dd>${bad}</dd>
              </div>`
            : ''
        }
      </dl>
      ${values.length - bad > 1 ? histogram(values, min, max) : ''}
      <details>
        <summary>All values</summary>
        <p class="mono all">${Array.from(values, formatValue).join('  ')}</p>
      </details>
      ${
        raw.length
          ? html`<details>
              <summary>Raw ${raw.map(({ what }) => what).join(', ')}</summary>
              ${raw.map(
                ({ what, numbers }) =>
                  html`<p class="soft">${numbers.length} ${what}</p>
                    <p class="mono all">${numbers.join(' ')}</p>`,
              )}
            </details>`
          : ''
      }
    </section>`;
  }
}

function finiteFacts({ min, max, mean, sigma }) {
  return html`<div>
      <dt>min</dt>
      <dd>${formatValue(min)}</dd>
    </div>
    <div>
      <dt>max</dt>
      <dd>${formatValue(max)}</dd>
    </div>
    <div>
      <dt>mean</dt>
      <dd>${formatValue(mean)}</dd>
    </div>
    <div>
      <dt>σ</dt>
      <dd>${formatValue(sigma)}</dd>
    </div>`;
}

/** @param {Float32Array} values */
export function measures(values) {
  let [min, max, sum, squares, bad] = [Infinity, -Infinity, 0, 0, 0];
  for (const v of values) {
    if (!Number.isFinite(v)) {
      bad++;
      continue;
    }
    min = Math.min(min, v);
    max = Math.max(max, v);
    sum += v;
    squares += v * v;
  }
  const n = values.length - bad;
  if (!n) return { min: NaN, max: NaN, mean: NaN, sigma: NaN, bad };
  const mean = sum / n;
  return { min, max, mean, sigma: Math.sqrt(Math.max(0, squares / n - mean * mean)), bad };
}

function bars(values, largest) {
  const n = values.length;
  const scale = largest ? 30 / largest : 0;
  return html`<svg
    class="bars"
    viewBox="0 0 ${n} 64"
    preserveAspectRatio="none"
    role="img"
    aria-label=${Number.isNaN(largest) ? 'No value is finite' : `Bar for each value, largest ${formatValue(largest)}`}
  >
    <rect class="axis" x="0" y="31.75" width=${n} height="0.5" />
    ${Array.from(values, (v, i) => {
      const h = Number.isFinite(v) ? Math.abs(v) * scale : 32;
      return svg`<rect class=${v < 0 ? 'minus' : 'plus'} x=${i + 0.1} y=${v < 0 ? 32 : 32 - h} width="0.8" height=${h} />`;
    })}
  </svg>`;
}

function histogram(values, min, max) {
  const bins = new Array(BINS).fill(0);
  for (const v of values) {
    if (Number.isFinite(v))
      bins[Math.min(BINS - 1, Math.floor(((v - min) / (max - min || 1)) * BINS))]++;
  }
  const most = Math.max(...bins);
  return html`<svg
    class="bars low"
    viewBox="0 0 ${BINS} 32"
    preserveAspectRatio="none"
    role="img"
    aria-label="Histogram of the values from ${formatValue(min)} to ${formatValue(max)}"
  >
    ${bins.map((n, i) => svg`<rect class="plus" x=${i + 0.05} y=${32 - (n / most) * 32} width="0.9" height=${(n / most) * 32} />`)}
  </svg>`;
}
