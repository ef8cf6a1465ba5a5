import { html, nothing } from 'lit';
import { chooser } from './chooser.js';
import { Pane } from './pane.js';
import { standIn } from './unread.js';
import { copyText } from '../actions/links.js';
import { blockInHand } from '../actions/looking.js';
import { bytesAs } from '../export.js';
import { attempt } from '../page.js';
import { ORDERS, placeOf } from '../picture/arrangement.js';
import { hex } from '../words.js';

const PER_LINE = 16;

const FORMS = { hex: 'hex', c: 'C array', js: 'JavaScript', json: 'JSON' };

/** The block's bytes with its fields named, at both addresses. */
export class ByteView extends Pane {
  static needs = ['grid'];

  render() {
    const { block, grid } = this.state;
    const mine = block && block.key === grid.key ? block : null;
    return html`<section class="bytes" id="bytes" tabindex="-1" aria-label="Bytes">
      <header>
        <h2>Bytes</h2>
        ${chooser({
          id: 'copy-as',
          label: html`<span class="hidden-text">Copy the bytes as</span>`,
          choices: FORMS,
          does: 'Copy bytes',
          act: (form) => void this.copy(form),
          disabled: !mine,
        })}
      </header>
      ${mine ? this.dump(mine) : standIn(this.state)}
    </section>`;
  }

  dump({ bytes, fields, words, o, b }) {
    const { grid } = this.state;
    const [file, kernel] = ORDERS.map((order) => placeOf(order, grid, { o, b }) * grid.blockBytes);
    /** @type {number[]} */
    const fieldOf = new Array(bytes.length).fill(-1);
    fields.forEach((f, i) => fieldOf.fill(i, f.offset, f.offset + f.bytes));
    const byte = (/** @type {number} */ v, /** @type {number} */ at) => {
      const f = fieldOf[at];
      return html`<span
        class=${f < 0 ? '' : `field-${f % 6}`}
        title=${f < 0 ? '' : `${fields[f].name}: ${words[at]}`}
        >${v.toString(16).padStart(2, '0')}</span
      >`;
    };
    const half = (/** @type {number} */ at) =>
      html`<span class="half"
        >${Array.from(bytes.subarray(at, at + PER_LINE / 2), (v, i) => byte(v, at + i))}</span
      >`;
    const lines = [];
    for (let at = 0; at < bytes.length; at += PER_LINE) lines.push(at);
    return html`
      ${
        fields.length
          ? html`<ul class="fields">
              ${fields.map((f, i) => html`<li><i class="field-${i % 6}">${f.name}</i> <span class="soft">${f.meaning ?? ''} @${f.offset}, ${f.bytes} B</span></li>`)}
            </ul>`
          : nothing
      }
      <div class="scroll" role="region" aria-label="Bytes of the block" tabindex="0">
        <table class="dump mono">
          <thead>
            <tr>
              <th scope="col">file</th>
              <th scope="col">kernel</th>
              <th scope="col">bytes</th>
            </tr>
          </thead>
          <tbody>
            ${lines.map(
              (at) =>
                html`<tr>
                  <td class="soft">${hex(grid.offset + file + at)}</td>
                  <td class="soft">${hex(kernel + at)}</td>
                  <td>${[at, at + PER_LINE / 2].map(half)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p class="soft">
        The same bytes in both memories: a relayout moves blocks and never looks into them.
      </p>
    `;
  }

  /** @param {string} form */
  async copy(form) {
    const block = await attempt(blockInHand());
    if (block) await copyText(bytesAs(block.bytes, form), `Bytes copied as ${FORMS[form]}.`);
  }
}
