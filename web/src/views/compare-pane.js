import { html, nothing } from 'lit';
import { chooser } from './chooser.js';
import { isolated } from './isolated.js';
import { Pane } from './pane.js';
import { compare } from '../actions/compare.js';
import { openFiles } from '../actions/files.js';
import { copyText } from '../actions/links.js';
import { walkMisplaced } from '../actions/looking.js';
import { complain, store } from '../page.js';
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
        Hold a converter's output against <b><bdi>${tensor}</bdi></b
        >: a <span class="mono">.bin</span> of ${grid.encoding} blocks [${formatNumber(grid.out)},
        ${formatNumber(grid.inputDim)}], or another GGUF with this tensor. Of two files at once the
        first is opened and the second held against it.
      </p>
      <div class="tools">
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
        <button class="primary" @click=${() => this.querySelector('#candidate').click()}>
          Choose or drop bytes…
        </button>
        <input
          id="candidate"
          class="hidden-text"
          type="file"
          multiple
          tabindex="-1"
          aria-label="Bytes to compare"
          @change=${this.picked}
        />
        ${chooser({
          id: 'example',
          label: 'or an example',
          choices: Object.fromEntries(EXAMPLES.map((name) => [name, name])),
          does: 'Compare example',
          act: (example) => this.start({ example }),
        })}
      </div>
      ${mine ? this.verdict(mine) : html`<p class="soft">Nothing compared yet.</p>`}
    `;
  }

  verdict({ name, order, disagreement, diagnosis, bytes, marked }) {
    return html`<section
      class="verdict ${disagreement ? 'bad' : 'good'}"
      aria-label="Verdict"
      id="verdict"
    >
      <h2>${disagreement ? 'Disagrees' : 'Agrees'}: <bdi>${name}</bdi></h2>
      <p class="soft">${formatBytes(bytes)} read as ${order}</p>
      ${
        disagreement
          ? html`<p id="disagreement">${isolated(disagreement.message)}</p>
              <p>
                ${formatNumber(disagreement.misplaced)} of ${formatNumber(disagreement.total)}
                blocks in the wrong
                place${marked ? ', bright above and, where they can be told apart, hatched' : ''}.
                <button @click=${() => walkMisplaced(-1)}>Previous (N)</button>
                <button @click=${() => walkMisplaced(1)}>Next (n)</button>
              </p>`
          : html`<p>Every block is where ${order} says.</p>`
      }
      ${
        diagnosis
          ? html`<p id="diagnosis">
                <b>${diagnosis.kind.replaceAll('-', ' ')}</b>: ${isolated(diagnosis.message)}
              </p>
              ${
                diagnosis.fix
                  ? html`<p class="fix">
                      To mend it: <code class="mono" id="fix">${diagnosis.fix}</code>
                      <button @click=${() => copyText(diagnosis.fix, 'Call copied.')}>
                        Copy the call
                      </button>
                    </p>`
                  : nothing
              }
              ${
                diagnosis.picture
                  ? html`<details>
                      <summary>First blocks, as they are and as they should be</summary>
                      <pre class="scroll" tabindex="0" aria-label="First blocks">
${diagnosis.picture.trimEnd()}</pre>
                    </details>`
                  : nothing
              }`
          : nothing
      }
    </section>`;
  }

  /** @param {File[]} files what is to be compared; of two, a GGUF that is opened before */
  async take(files) {
    if (files.length === 1) return this.start({ file: files[0] });
    if (files.length > 2)
      return complain(new Error(`${files.length} files cannot be compared: give one, or two.`));
    const isGguf = (/** @type {File} */ { name }) => /\.gguf$/i.test(name);
    const [first, second] = isGguf(files[0]) ? files : [...files].reverse();
    await openFiles([first]);
    if (store.state.source?.name === first.name && store.state.grid) this.start({ file: second });
  }

  start(about) {
    compare({ kernelOrder: this.order === 'INPUT_BLOCK_MAJOR', ...about });
  }

  picked(event) {
    const files = [...event.target.files];
    event.target.value = '';
    if (files.length) void this.take(files);
  }
}
