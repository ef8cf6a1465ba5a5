import { html } from 'lit';
import { Pane } from './pane.js';
import { lookAt } from '../actions/looking.js';
import { ORDERS, blockAt, cellOf, extent, lineAxis, placeOf } from '../picture/arrangement.js';

const SIZE = 16;

/** The cells around the block in hand as a table that a screen reader can walk. */
export class GridTable extends Pane {
  static needs = ['grid'];

  render() {
    const { grid, panel, wrap, o, b } = this.state;
    const order = ORDERS[panel];
    const axis = lineAxis(order, wrap);
    const { lines, columns } = extent(grid, axis);
    const here = cellOf(axis, { o, b });
    const start = (at, size) => Math.max(0, Math.min(size - SIZE, Math.floor(at / SIZE) * SIZE));
    const [line0, column0] = [start(here.line, lines), start(here.column, columns)];
    const range = (from, size) =>
      Array.from({ length: Math.min(SIZE, size) }, (_, i) => from + i).filter((i) => i < size);
    const [lineName, columnName] = axis === 'o' ? ['o', 'b'] : ['b', 'o'];
    return html`<div class="scroll">
      <table role="grid" aria-label="${order}: cells around the block" @keydown=${this.walk}>
        <thead>
          <tr role="row">
            <th role="columnheader" scope="col">${lineName} \\ ${columnName}</th>
            ${range(column0, columns).map((c) => html`<th role="columnheader" scope="col">${c}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${range(line0, lines).map(
            (l) =>
              html`<tr role="row">
                <th role="rowheader" scope="row">${l}</th>
                ${range(column0, columns).map((c) => {
                  const block = blockAt(axis, l, c);
                  const mine = block.o === o && block.b === b;
                  return html`<td
                    role="gridcell"
                    tabindex=${mine ? 0 : -1}
                    aria-selected=${mine ? 'true' : 'false'}
                    @click=${() => lookAt(block, true)}
                  >
                    ${placeOf(order, grid, block)}
                  </td>`;
                })}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const { grid, panel, wrap, o, b } = this.state;
    const axis = lineAxis(ORDERS[panel], wrap);
    const { line, column } = cellOf(axis, { o, b });
    const { columns } = extent(grid, axis);
    const to = {
      ArrowUp: [line - 1, column],
      ArrowDown: [line + 1, column],
      ArrowLeft: [line, column - 1],
      ArrowRight: [line, column + 1],
      Home: [line, 0],
      End: [line, columns - 1],
      PageUp: [line - SIZE, column],
      PageDown: [line + SIZE, column],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    lookAt(blockAt(axis, to[0], to[1]), true);
    this.updateComplete.then(() =>
      /** @type {HTMLElement | null} */ (
        this.querySelector('[tabindex="0"][role="gridcell"]')
      )?.focus(),
    );
  }
}
