import { html } from 'lit';
import { isInHand } from '../actions/looking.js';

/** What stands where a block would. @param {import('../page.js').store['state']} state */
export function standIn(state) {
  const { unread } = state;
  if (!isInHand(unread, state)) return html`<p class="soft">Reading …</p>`;
  return html`<p class="unread">
    Block (${unread.o}, ${unread.b}) cannot be read: ${unread.why} Go to another block and come back
    to try again, or open the file again.
  </p>`;
}
