import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { Pane } from './pane.js';
import { holdFlight, prepack } from '../actions/prepack.js';
import { lookAt, setChannel } from '../actions/looking.js';
import { store } from '../page.js';
import { zoom } from '../keyboard.js';
import { ORDERS, blockAtPlace, blockCount, placeOf } from '../picture/arrangement.js';
import { landedAt, steppedTime, timeOf } from '../picture/flight.js';
import { CHANNELS } from '../state/link.js';
import { formatBytes, formatNanos, formatNumber } from '../words.js';

const SEED_BLOCKS = 64;

const CHANNEL_TEXT = {
  scale: 'size of the block’s scale, logarithmic',
  position: 'place in the file',
  identity: 'a colour of its own for each block',
  error: 'difference between right and wrong reading',
};

/** Tools under the two panels, the price of a prepack, and the small story for small grids. */
export class OrdersPane extends Pane {
  static needs = ['grid'];

  render() {
    const { grid, channel, wrap, flight, events } = this.state;
    const price = events.findLast((e) => e.kind === 'AdapterInserted');
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return html`
      <div class="tools">
        ${channelChoice(grid, channel)}
        <label class="choice"
          ><input
            type="checkbox"
            .checked=${wrap === 'logical'}
            @change=${(e) => store.set({ wrap: e.target.checked ? 'logical' : 'memory', channel: e.target.checked ? 'position' : 'scale' })}
          />Same picture, different path</label
        >
        <span class="zoom" role="group" aria-label="Zoom">
          <button @click=${() => zoom('out')}>Zoom out −</button>
          <button @click=${() => zoom('in')}>Zoom in +</button>
          <button @click=${() => zoom('fit')}>Fit 0</button>
        </span>
      </div>
      <div class="tools">
        <button class="primary" id="prepack" @click=${prepack}>
          ${still ? 'Prepack: next still' : '▶ Prepack'}
        </button>
        <span class="scrub">
          <label for="flight">file</label
          ><input
            id="flight"
            type="range"
            min="0"
            max="1"
            step="0.001"
            aria-label="Prepack, from file order to kernel order"
            aria-valuetext=${landedText(flight, blockCount(grid))}
            .value=${String(flight)}
            title="Arrows step by block, with Shift by line, Home and End by all"
            @input=${(e) => holdFlight(Number(e.target.value))}
            @keydown=${stepFlight}
          />
          <span>kernel</span>
        </span>
        <output id="price"
          >${
            price
              ? html`<span class="mono">AdapterInserted</span> ${formatBytes(price.bytes)} in
                  ${formatNanos(price.nanos)}`
              : html`<span class="soft"
                  >a prepack copies ${formatBytes(blockCount(grid) * grid.blockBytes)}</span
                >`
          }</output
        >
      </div>
      ${blockCount(grid) <= SEED_BLOCKS ? html`<seed-story></seed-story>` : nothing}
    `;
  }
}

/** @param {number} flight @param {number} total blocks */
function landedText(flight, total) {
  return `${formatNumber(landedAt(flight, total))} of ${formatNumber(total)} blocks landed`;
}

/** @type {Record<string, 1 | -1>} */
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/** @param {KeyboardEvent} event on the scrubber; Home and End are the browser's own */
function stepFlight(event) {
  const by = STEPS[event.key];
  if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const { flight, grid } = store.state;
  const size = event.shiftKey ? grid.blocksPerRow : 1;
  holdFlight(steppedTime(flight, by, size, blockCount(grid)));
}

/** @param {import('../page.js').GridFacts} grid @param {string} channel */
export function channelChoice(grid, channel) {
  return html`<fieldset class="channels">
    <legend>Colour</legend>
    ${CHANNELS.map((c) => {
      const possible = grid.channels.includes(c);
      return html`<label class="choice" title=${possible ? CHANNEL_TEXT[c] : nothing}
        ><input
          type="radio"
          name="channel"
          value=${c}
          ?disabled=${!possible}
          .checked=${live(c === channel)}
          @change=${() => setChannel(c)}
        />${c}</label
      >`;
    })}
    ${grid.channels.includes('error') ? nothing : html`<span class="soft" id="no-error">no error: ${whyNoError(grid)}</span>`}
  </fieldset>`;
}

/** @param {import('../page.js').GridFacts} grid */
function whyNoError(grid) {
  const { out, blocksPerRow, blockBytes } = grid;
  if (blocksPerRow === 1) return 'with one block per row both orders are the same bytes';
  if (out === 1) return 'with one row both orders are the same bytes';
  const size = formatBytes(blockCount(grid) * blockBytes);
  return `it decodes the weight twice, which is done up to 67 MB; this one has ${size}`;
}

/** The 2 x 3 picture of src/layout/block_order.h, one block after the other, with the formulas filled in. */
export class SeedStory extends Pane {
  static needs = ['grid'];

  render() {
    const { grid, o, b } = this.state;
    const total = blockCount(grid);
    const at = placeOf('ROW_MAJOR', grid, { o, b });
    const [file, kernel] = ORDERS.map((order) => placeOf(order, grid, { o, b }));
    return html`<section class="story" aria-label="Step by step">
      <h2>Step by step</h2>
      <p>
        Block <b>(o ${o}, b ${b})</b> of ${grid.out} × ${grid.blocksPerRow}. In the file: o ×
        blocksPerRow + b = <span class="mono">${o} × ${grid.blocksPerRow} + ${b} = ${file}</span>.
        For kernels: b × out + o = <span class="mono">${b} × ${grid.out} + ${o} = ${kernel}</span>.
        ${file === kernel ? 'It stays where it is.' : `It moves from place ${file} to place ${kernel}.`}
      </p>
      <p>
        <button ?disabled=${at === 0} @click=${() => this.go(at - 1, total)}>Previous block</button>
        <button ?disabled=${at === total - 1} @click=${() => this.go(at + 1, total)}>
          Next block
        </button>
        <span class="soft">${at + 1} of ${total}</span>
      </p>
      ${
        grid.blocksPerRow === 1
          ? html`<p class="note">
              One block per row: both orders are the same bytes, so no test on this weight can find
              a wrong order. Tests must be three blocks wide.
            </p>`
          : nothing
      }
    </section>`;
  }

  go(place, total) {
    const { grid } = this.state;
    // The scrubber stands where this block has just landed.
    holdFlight(timeOf(place + 1, total));
    lookAt(blockAtPlace('ROW_MAJOR', grid, place), true);
  }
}
