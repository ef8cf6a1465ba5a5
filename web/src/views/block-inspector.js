import { html, nothing } from 'lit';
import { Pane } from './pane.js';
import { complain, say, store } from '../page.js';
import { lookAt, setPin } from '../actions/looking.js';
import { ORDERS, blockAtPlace, blockCount, placeOf } from '../picture/arrangement.js';
import { parseGoto } from '../state/goto.js';
import { formatBytes, formatNumber, hex } from '../words.js';

/** The block in hand as numbers: the picture's equivalent for those who do not see it, and the way to type a place. */
export class BlockInspector extends Pane {
  static needs = ['grid'];

  render() {
    const { grid, o, b, pin, table, panel } = this.state;
    const [file, kernel] = ORDERS.map((order) => placeOf(order, grid, { o, b }));
    const last = blockCount(grid) - 1;
    const field = (id, name, value, max, to) =>
      html`<label for=${id}
        >${name}<input
          id=${id}
          type="number"
          min="0"
          max=${max}
          aria-describedby="place-problem"
          .value=${String(value)}
          @change=${(e) => this.typed(e, max, to)}
      /></label>`;
    return html`<section class="inspector" aria-label="Block">
      <form class="places" @submit=${(e) => e.preventDefault()}>
        <h2>Block</h2>
        ${field('block-o', 'o', o, grid.out - 1, (v) => ({ o: v, b }))}
        ${field('block-b', 'b', b, grid.blocksPerRow - 1, (v) => ({ o, b: v }))}
        ${field('block-file', 'file place', file, last, (v) => blockAtPlace('ROW_MAJOR', grid, v))}
        ${field('block-kernel', 'kernel place', kernel, last, (v) => blockAtPlace('INPUT_BLOCK_MAJOR', grid, v))}
        <p id="place-problem" class="problem"></p>
      </form>
      <form class="places" @submit=${this.goto}>
        <label for="goto"
          >go to<input
            id="goto"
            type="text"
            autocomplete="off"
            placeholder="o,b  @flat  0xoffset"
            aria-describedby="goto-problem"
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
        <p id="goto-problem" class="problem"></p>
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

  typed(event, max, to) {
    const input = event.target;
    const value = Number(input.value);
    const right = Number.isInteger(value) && value >= 0 && value <= max;
    const text = `${input.value || 'nothing'} is not a whole number in 0..${max}.`;
    /** @type {HTMLElement} */ (this.querySelector('#place-problem')).textContent = right ? '' : text;
    input.setAttribute('aria-invalid', String(!right));
    if (right) return lookAt(to(value), true);
    complain(new Error(text));
    this.requestUpdate();
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
    const problem = /** @type {HTMLElement} */ (this.querySelector('#goto-problem'));
    if ('problem' in found) {
      problem.textContent = `Cannot go there: ${found.problem}.`;
      input.setAttribute('aria-invalid', 'true');
      return;
    }
    problem.textContent = '';
    input.removeAttribute('aria-invalid');
    input.value = '';
    input.blur();
    lookAt(found.block, true);
    say(`Block (${found.block.o}, ${found.block.b}).`);
  }
}
