import { panelRects } from './arrangement.js';

/**
 * Where the two panels stand on the stage, in device pixels: the same for the pointer and the painter.
 * @param {{ width: number, height: number, dpr: number, stacked: boolean }} stage
 */
export function stageLayout({ width, height, dpr, stacked }) {
  // Stacked panels leave room for the second title.
  return panelRects(width, height, { gap: Math.round((stacked ? 56 : 24) * dpr), stacked });
}
