import { html } from 'lit';
import { Pane } from './pane.js';
import { MISREADING } from '../actions/looking.js';
import { askLong } from '../actions/long.js';
import { store } from '../page.js';
import { blockCount, displacedCount } from '../picture/arrangement.js';
import { formatNumber, formatValue } from '../words.js';
import { channelChoice } from './orders-pane.js';

/** @param {{ largest: { difference: number, o: number, b: number }, finite: boolean }} known */
function largestText({ largest: { difference, o, b }, finite }) {
  if (!difference && !finite) return 'cannot be told: these values are not finite';
  return `${formatValue(difference)}, in block (o ${o}, b ${b})`;
}

/** The right matrix and the one that a reader of the wrong order gets, with a divider between. */
export class WrongPane extends Pane {
  static needs = ['grid'];

  render() {
    const { grid, channel, divider, wrong } = this.state;
    const total = blockCount(grid);
    const displaced = displacedCount(grid);
    const known = wrong?.key === grid.key ? wrong : null;
    const possible = grid.channels.includes('error');
    return html`
      <div class="tools">
        ${channelChoice(grid, channel)}
        <label for="divider">Divider</label>
        <input
          id="divider"
          type="range"
          min="0"
          max="1"
          step="0.005"
          .value=${String(divider)}
          aria-valuetext="${Math.round(divider * 100)} % read right"
          @input=${(e) => store.set({ divider: Number(e.target.value) })}
        />
      </div>
      <dl class="facts" id="wrong-facts">
        <div>
          <dt>blocks in the wrong place</dt>
          <dd>
            ${formatNumber(displaced)} of ${formatNumber(total)}
            (${((100 * displaced) / total).toFixed(displaced === total ? 0 : 2)} %)
          </dd>
        </div>
        <div>
          <dt>largest difference of a value</dt>
          <dd>
            ${
              displaced === 0
                ? 'none'
                : known
                  ? largestText(known)
                  : possible
                    ? html`<button @click=${this.measure}>Measure</button>`
                    : 'not measured: the matrix is over 64 MiB'
            }
          </dd>
        </div>
        <div>
          <dt>finite</dt>
          <dd>${known ? (known.finite ? 'yes' : 'no') : 'not looked yet'}</dd>
        </div>
        <div>
          <dt>crash</dt>
          <dd>no</dd>
        </div>
        <div>
          <dt>right</dt>
          <dd>${displaced === 0 ? 'yes, by luck' : 'no'}</dd>
        </div>
      </dl>
      <p class="soft">
        ${
          displaced === 0
            ? 'With one block per row, or one row, both orders are the same bytes: a test built on such a weight passes whichever order the code holds. That is why tests must be three blocks wide.'
            : 'Nothing crashes and every number is plausible; only the matrix is another one. With one block per row (see one-block-wide.weight in the sample) both readings agree: that is why tests must be three blocks wide.'
        }
      </p>
    `;
  }

  updated() {
    const { grid, wrong } = this.state;
    // Small matrices are measured without being asked.
    const small = blockCount(grid) * grid.elements <= 1 << 21;
    if (
      small &&
      grid.channels.includes('error') &&
      wrong?.key !== grid.key &&
      this.asked !== grid.key
    )
      this.measure();
  }

  async measure() {
    const { key } = this.state.grid;
    this.asked = key;
    const found = await askLong(MISREADING, 'errors', { key }, { tab: 'wrong', grid: key });
    if (found && this.state.grid?.key === key) store.set({ wrong: { ...found, key } });
  }
}
