import { html, nothing } from 'lit';
import { Pane } from './pane.js';
import { compare } from '../actions/compare.js';
import { copyText } from '../actions/links.js';
import { walkMisplaced } from '../actions/looking.js';
import { formatBytes, formatNumber } from '../words.js';

const EXAMPLES = [
  'kernel order',
  'file order',
  'relaid twice',
  'relaid by the swapped label',
  'two blocks swapped',
  'shifted by one byte',
  'cut short',
];

/** Bytes of a converter against the shown weight: the library's verdict, and every block it is about. */
export class ComparePane extends Pane {
  static needs = ['grid'];
  static properties = { order: { state: true } };

  constructor() {
    super();
    this.order = 'INPUT_BLOCK_MAJOR';
  }

  render() {
    const { grid, tensor, comparison } = this.state;
    const mine = comparison?.gridKey === grid.key ? comparison : null;
    return html`
      <p>
        Hold a converter's output against <b>${tensor}</b>: a <span class="mono">.bin</span> of
        ${grid.encoding} blocks [${formatNumber(grid.out)}, ${formatNumber(grid.inputDim)}], or another GGUF with this tensor.
      </p>
      <div class="tools" data-drop @files=${(e) => this.start({ file: e.detail[0] })}>
        <fieldset>
          <legend>The bytes claim to be in</legend>
          ${['INPUT_BLOCK_MAJOR', 'ROW_MAJOR'].map(
            (order) =>
              html`<label class="choice"
                ><input
                  type="radio"
                  name="claimed"
                  value=${order}
                  .checked=${this.order === order}
                  @change=${() => (this.order = order)}
                />${order}</label
              >`,
          )}
        </fieldset>
        <button class="primary" @click=${() => this.querySelector('#candidate').click()}>Choose or drop bytes…</button>
        <input id="candidate" class="hidden-text" type="file" tabindex="-1" aria-label="Bytes to compare" @change=${this.picked} />
        <label for="example">or an example</label>
        <select id="example" @change=${this.example}>
          <option value="">choose</option>
          ${EXAMPLES.map((name) => html`<option value=${name}>${name}</option>`)}
        </select>
      </div>
      ${mine ? this.verdict(mine) : html`<p class="soft">Nothing compared yet.</p>`}
    `;
  }

  verdict({ name, order, disagreement, diagnosis, bytes, marked }) {
    return html`<section class="verdict ${disagreement ? 'bad' : 'good'}" aria-label="Verdict" id="verdict">
      <h2>${disagreement ? 'Disagrees' : 'Agrees'}: ${name}</h2>
      <p class="soft">${formatBytes(bytes)} read as ${order}</p>
      ${disagreement
        ? html`<p id="disagreement">${disagreement.message}</p>
            <p>
              ${formatNumber(disagreement.misplaced)} of ${formatNumber(disagreement.total)} blocks in the wrong place${marked ? ', hatched above' : ''}.
              <button @click=${() => walkMisplaced(-1)}>Previous (N)</button>
              <button @click=${() => walkMisplaced(1)}>Next (n)</button>
            </p>`
        : html`<p>Every block is where ${order} says.</p>`}
      ${diagnosis
        ? html`<p id="diagnosis">
              <b>${diagnosis.kind.replaceAll('-', ' ')}</b>: ${diagnosis.message}
            </p>
            ${
              diagnosis.fix
                ? html`<p class="fix">
                    To mend it: <code class="mono" id="fix">${diagnosis.fix}</code>
                    <button @click=${() => copyText(diagnosis.fix, 'Call copied.')}>Copy the call</button>
                  </p>`
                : nothing
            }
            ${
              diagnosis.picture
                ? html`<details>
                    <summary>First blocks, as they are and as they should be</summary>
                    <pre class="scroll" tabindex="0" aria-label="First blocks">${diagnosis.picture.trimEnd()}</pre>
                  </details>`
                : nothing
            }`
        : nothing}
    </section>`;
  }

  start(about) {
    compare({ kernelOrder: this.order === 'INPUT_BLOCK_MAJOR', ...about });
  }

  picked(event) {
    const [file] = event.target.files;
    event.target.value = '';
    if (file) this.start({ file });
  }

  example(event) {
    const example = event.target.value;
    event.target.value = '';
    if (example) this.start({ example });
  }
}
