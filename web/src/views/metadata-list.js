import { html } from 'lit';
import { isolated } from './isolated.js';
import { formatNumber } from '../words.js';

/**
 * What a file says of itself. A long list comes cut, with its true count beside it.
 * @param {{ metadata: [string, string][], metadataCount: number }} of
 * @param {string} [title]
 */
export function metadataList({ metadata, metadataCount: count }, title = 'Metadata') {
  const shown = metadata.length;
  const said = shown < count ? `first ${formatNumber(shown)} of ${formatNumber(count)}` : count;
  return html`<details class="metadata">
    <summary>${isolated(title)} (${said})</summary>
    <div class="scroll" role="region" aria-label=${title} tabindex="0">
      <dl>
        ${metadata.map(
          ([key, value]) =>
            html`<div>
              <dt class="mono">${key}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>
    </div>
  </details>`;
}
