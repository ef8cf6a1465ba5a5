import { html } from 'lit';

/**
 * A choice and the button that acts on it. Choosing alone does nothing: arrow keys pass through every choice of a
 * closed list on their way to another.
 * @param {object} how
 * @param {string} how.id of the list
 * @param {unknown} how.label
 * @param {Record<string, string>} how.choices what is acted on, and its name
 * @param {string} how.does the button's words
 * @param {(choice: string) => void} how.act
 * @param {boolean} [how.disabled]
 */
export function chooser({ id, label, choices, does, act, disabled = false }) {
  const press = (/** @type {{ currentTarget: HTMLElement }} */ { currentTarget }) =>
    act(/** @type {HTMLSelectElement} */ (currentTarget.previousElementSibling).value);
  return html`<span class="chooser"
    ><label for=${id}>${label}</label
    ><select id=${id} ?disabled=${disabled}>
      ${Object.entries(choices).map(([choice, name]) => html`<option value=${choice}>${name}</option>`)}</select
    ><button type="button" ?disabled=${disabled} @click=${press}>${does}</button></span
  >`;
}
