import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { Pane } from './pane.js';
import { complain, say, store } from '../page.js';
import { lookAt, setPin } from '../actions/looking.js';
import { ORDERS, blockAtPlace, blockCount, placeOf } from '../picture/arrangement.js';
import { parseGoto } from '../state/goto.js';
import { formatBytes, formatNumber, hex } from '../words.js';

/** @typedef {{ id: string, value: string, grid: any, tab: string, o: number, b: number }} Typed in which field, and where the reader was */

/** The block in hand as numbers: the picture's equivalent for those who do not see it, and the way to type a place. */
export class BlockInspector extends Pane {
  static needs = ['grid'];

  static properties = { problem: { state: true } };

  constructor() {
    super();
    /** What was typed that is no place of this grid, until its cause is gone. @type {Typed & { text: string } | null} */
    this.problem = null;
    /** What a field holds that is being typed in. @type {Typed | null} */
    this.typing = null;
  }

  willUpdate() {
    const { grid, tab, o, b } = this.state;
    const here = (typed) =>
      typed?.grid === grid && typed.tab === tab && typed.o === o && typed.b === b;
    if (!here(this.problem)) this.problem = null;
    if (!here(this.typing)) this.typing = null;
  }

  render() {
    const { grid, o, b, pin, table, panel } = this.state;
    const { problem, typing } = this;
    const [file, kernel] = ORDERS.map((order) => placeOf(order, grid, { o, b }));
    const last = blockCount(grid) - 1;
    const lost = problem?.id === 'goto';
    const field = (id, name, value, max, to) => {
      const wrong = problem?.id === id;
      const typed = [typing, problem].find((each) => each?.id === id);
      return html`<label for=${id}
        >${name}<input
          id=${id}
          type="number"
          min="0"
          max=${max}
          aria-invalid=${wrong ? 'true' : 'false'}
          aria-describedby=${wrong ? 'place-problem' : nothing}
          .value=${live(typed?.value ?? String(value))}
          @input=${(e) => {
            this.typing = this.typedIn(e.target);
            this.problem = null;
          }}
          @change=${(e) => this.typed(e.target, max, to)}
      /></label>`;
    };
    return html`<section class="inspector" aria-label="Block">
      <form class="places" @submit=${(e) => e.preventDefault()}>
        <h2>Block</h2>
        ${field('block-o', 'o', o, grid.out - 1, (v) => ({ o: v, b }))}
        ${field('block-b', 'b', b, grid.blocksPerRow - 1, (v) => ({ o, b: v }))}
        ${field('block-file', 'file place', file, last, (v) => blockAtPlace('ROW_MAJOR', grid, v))}
        ${field('block-kernel', 'kernel place', kernel, last, (v) => blockAtPlace('INPUT_BLOCK_MAJOR', grid, v))}
        <p id="place-problem" class="problem">${problem && !lost ? problem.text : nothing}</p>
      </form>
      <form class="places" @submit=${this.goto}>
        <label for="goto"
          >go to<input
            id="goto"
            type="text"
            autocomplete="off"
            placeholder="o,b  @flat  0xoffset"
            aria-invalid=${lost ? 'true' : 'false'}
            aria-describedby="goto-problem"
            @input=${() => (this.problem = null)}
        /></label>
        <button>Go</button>
        <button type="button" @click=${() => setPin(pin ? null : { o, b })}>
          ${pin ? 'Unpin' : 'Pin'}
        </button>
        <button type="button" @click=${() => store.set({ panel: panel ? 0 : 1 })}>
          Keys walk in ${ORDERS[panel]}
        </button>
        <button
          type="button"
          aria-pressed=${table ? 'true' : 'false'}
          @click=${() => store.set({ table: !table })}
        >
          Cells as a table
        </button>
        <export-menu></export-menu>
        <p id="goto-problem" class="problem">${lost ? problem.text : nothing}</p>
      </form>
      <p class="where">
        At file offset <span class="mono">${hex(grid.offset + file * grid.blockBytes)}</span>, in
        the kernel buffer at <span class="mono">${hex(kernel * grid.blockBytes)}</span>;
        ${formatNumber(grid.blockBytes)} bytes. ${pin ? this.distance(pin, { o, b }) : nothing}
      </p>
      <grid-table ?hidden=${!table}></grid-table>
      <div class="halves">
        <byte-view></byte-view>
        <value-view></value-view>
      </div>
    </section>`;
  }

  distance(pin, here) {
    const { grid } = this.state;
    const [file, kernel] = ORDERS.map(
      (order) => (placeOf(order, grid, here) - placeOf(order, grid, pin)) * grid.blockBytes,
    );
    const said = (n) =>
      `${n < 0 ? '−' : '+'}${formatBytes(Math.abs(n))} (${n < 0 ? '−' : ''}${formatNumber(Math.abs(n))})`;
    return html`<span id="distance"
      >From the pinned (${pin.o}, ${pin.b}): ${said(file)} in the file, ${said(kernel)} in the
      kernel buffer.</span
    >`;
  }

  /** @param {HTMLInputElement} field @returns {Typed} */
  typedIn({ id, value }) {
    const { grid, tab, o, b } = this.state;
    return { id, value, grid, tab, o, b };
  }

  typed(input, max, to) {
    const value = Number(input.value);
    this.typing = null;
    this.requestUpdate();
    if (input.value && Number.isInteger(value) && value >= 0 && value <= max) {
      this.problem = null;
      return lookAt(to(value), true);
    }
    this.refuse(input, `${input.value || 'nothing'} is not a whole number in 0..${max}.`);
  }

  /** @param {HTMLInputElement} input @param {string} text */
  refuse(input, text) {
    this.problem = { ...this.typedIn(input), text };
    complain(new Error(text));
  }

  goto(event) {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (this.querySelector('#goto'));
    const { grid, panel } = this.state;
    const found = parseGoto(input.value, {
      grid,
      order: ORDERS[panel],
      offset: grid.offset,
      blockBytes: grid.blockBytes,
    });
    if ('problem' in found) return this.refuse(input, `Cannot go there: ${found.problem}.`);
    this.problem = null;
    input.value = '';
    input.blur();
    lookAt(found.block, true);
    say(`Block (${found.block.o}, ${found.block.b}).`);
  }
}
