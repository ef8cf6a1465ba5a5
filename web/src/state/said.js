/**
 * What has been said, and where it is true: a sentence of one tab or one weight is not shown beside another.
 *
 * @typedef {{ file?: string | null, tensor?: string | null, grid?: number | null, tab?: string | string[] }} Place
 *   every part that it names must be on screen, of several tabs one
 * @typedef {{ text: string, tone: 'plain' | 'error', about?: Place }} Said
 */

/** @param {{ source: { name: string } | null, tensor: string | null, grid: { key: number } | null, tab: string }} state */
export function placeIn({ source, tensor, grid, tab }) {
  return { file: source?.name ?? null, tensor, grid: grid?.key ?? null, tab };
}

/**
 * The last sentence that is about what is on screen.
 * @param {Parameters<typeof placeIn>[0] & { status: Said[] }} state
 */
export function saidHere(state) {
  /** @type {Record<string, any>} */
  const place = placeIn(state);
  const isHere = (/** @type {Place} */ about) =>
    Object.entries(about).every(([part, wanted]) => [wanted].flat().includes(place[part]));
  return state.status.findLast(({ about = {} }) => isHere(about));
}
