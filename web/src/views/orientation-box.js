import { html, nothing } from 'lit';
import { Folding } from './folding.js';
import { selectTensor } from '../actions/tensors.js';
import { formatNumber } from '../words.js';

/** The label that the file wrote, the one the engine means, and a switch between them. */
export class OrientationBox extends Folding {
  refuge() {
    return this.querySelector(this.roomy ? 'input[name=label]:checked' : 'summary');
  }

  render() {
    const { source, tensor, grid, label, slice } = this.state;
    const t = source?.tensors.find((x) => x.name === tensor);
    if (!t) return nothing;
    const matrix = t.ne.length > 1;
    const shape = [...t.ne].reverse();
    // A refusal opens it on a narrow screen too.
    return html`<details class="orientation" ?open=${this.roomy || Boolean(grid?.refusal)}>
      <summary><h2>Orientation</h2></summary>
      <dl>
        <dt>label in the file, ne</dt>
        <dd class="mono">[${t.ne.join(', ')}]</dd>
        <dt>${matrix ? '[out, in] of the bytes' : 'length'}</dt>
        <dd class="mono">[${shape.join(', ')}]</dd>
      </dl>
      ${
        matrix
          ? html`<fieldset>
              <legend>Read the label</legend>
              ${['OUT_IN', 'AS_STORED'].map(
                (l) =>
                  html`<label class="choice"
                    ><input
                      type="radio"
                      name="label"
                      value=${l}
                      .checked=${label === l}
                      @change=${() => selectTensor(t.name, { label: l, slice })}
                    />${l}</label
                  >`,
              )}
            </fieldset>`
          : nothing
      }
      ${
        grid && grid.slices > 1
          ? html`<label class="choice"
              >Slice (expert)
              <input
                type="number"
                min="0"
                max=${grid.slices - 1}
                .value=${String(slice)}
                @change=${(e) => selectTensor(t.name, { slice: Math.max(0, Math.min(grid.slices - 1, Number(e.target.value) || 0)), label })}
              />
              of ${formatNumber(grid.slices)}</label
            >`
          : nothing
      }
      ${
        grid?.refusal
          ? html`<div class="refusal" role="group" aria-label="Refusal">
              <p><b>Refused: ${grid.refusal.code}</b></p>
              <p id="refusal">${grid.refusal.message}</p>
              <button @click=${() => selectTensor(t.name, { label: 'OUT_IN', slice })}>
                Fix the label: OUT_IN
              </button>
            </div>`
          : nothing
      }
      ${
        grid && !grid.refusal && label === 'AS_STORED' && matrix
          ? html`<p class="note">
              The label is taken as [out, in] although ne order writes [in, out].
              ${grid.ambiguous ? 'Both dimensions are whole blocks, so the check cannot tell and stays quiet: this grid is wrong and nothing says so.' : ''}
            </p>`
          : nothing
      }
      ${
        grid && label === 'OUT_IN' && grid.ambiguous
          ? html`<p class="soft">
              Both dimensions are whole blocks: from the label alone nobody can tell which way round
              it is. GGUF writes ne, so OUT_IN is right for a file.
            </p>`
          : nothing
      }
      ${
        grid
          ? html`<p class="soft">
              Bytes unchanged by the label: checksum
              <span class="mono" id="checksum">${grid.checksum}</span>
            </p>`
          : nothing
      }
    </details>`;
  }
}
