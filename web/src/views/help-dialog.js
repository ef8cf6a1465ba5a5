import { html, nothing } from 'lit';
import { Pane } from './pane.js';
import { store } from '../page.js';
import { helpTable } from '../state/hotkeys.js';

export class HelpDialog extends Pane {
  render() {
    const { hotkeys, isa, offline } = this.state;
    return html`<dialog aria-labelledby="help-title" @close=${() => store.set({ help: false })}>
      <h2 id="help-title">Keys and help</h2>
      <p>
        Drop a GGUF file anywhere. The left panel wraps the file's memory, one row of the weight per
        line; the right panel wraps the kernel's memory, one block column per line. The same block
        is marked in both. The file stays on this machine: the page has no address it could send it
        to. ${offline ? 'The page opens again without a network.' : nothing}
      </p>
      <label class="choice"
        ><input
          type="checkbox"
          .checked=${hotkeys}
          @change=${(e) => store.set({ hotkeys: e.target.checked })}
        />Single-key shortcuts</label
      >
      <div class="keys">
        ${[...helpTable()].map(
          ([group, rows]) =>
            html`<section>
              <h3>${group}</h3>
              <dl>
                ${rows.map(
                  ({ keys, does }) =>
                    html`<dt><kbd>${keys}</kbd></dt>
                      <dd>${does}</dd>`,
                )}
              </dl>
            </section>`,
        )}
      </div>
      <p class="soft">
        Pointer: wheel scrolls, Ctrl and wheel or pinch zooms, drag pans, click pins, double-click
        fits. On the prepack slider arrows step by block, with Shift by line, Home and End by all.
        Instructions used: ${isa ?? 'loading'}.
      </p>
      <form method="dialog"><button class="primary">Close</button></form>
    </dialog>`;
  }

  updated() {
    const dialog = /** @type {HTMLDialogElement} */ (this.querySelector('dialog'));
    if (this.state.help && !dialog.open) dialog.showModal();
    if (!this.state.help && dialog.open) dialog.close();
  }
}
