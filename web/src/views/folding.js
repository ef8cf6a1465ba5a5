import { Pane } from './pane.js';

const wide = matchMedia('(min-width: 641px)');

/** A pane that is folded on a narrow screen until somebody opens it: there the picture comes first. */
export class Folding extends Pane {
  /** Whether there is room for it beside the picture. */
  roomy = wide.matches;

  follow = () => {
    this.roomy = wide.matches;
    this.requestUpdate();
  };

  connectedCallback() {
    super.connectedCallback();
    wide.addEventListener('change', this.follow);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    wide.removeEventListener('change', this.follow);
  }
}
