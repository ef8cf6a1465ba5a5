/** Where the reader looks: the block in hand, the cameras, the colours. */
import { CHANNELS } from '../state/link.js';
import { ORDERS, blockAt, cellOf, extent, lineAxis } from '../picture/arrangement.js';
import { frameOf, reveal } from '../picture/camera.js';
import { stageLayout } from '../picture/stage-layout.js';
import { ask, attempt, complain, explained, say, store } from '../page.js';
import { askLong } from './long.js';

/** @typedef {import('../picture/arrangement.js').Block} Block */

/** @returns the two frames on screen, in device pixels */
export function frames(state = store.state) {
  const { grid, cameras, wrap, stage } = state;
  if (!grid || !stage.width) return null;
  return stageLayout(stage).map((rect, i) => {
    const axis = lineAxis(ORDERS[i], wrap);
    return { axis, frame: frameOf(rect, extent(grid, axis), cameras[i]) };
  });
}

/**
 * @param {Block} block
 * @param {boolean} [bothPanels] also move the panel that the pointer is in
 */
export function lookAt({ o, b }, bothPanels = false) {
  const { grid, panel, cameras } = store.state;
  if (!grid) return;
  const at = { o: clamp(o, grid.out), b: clamp(b, grid.blocksPerRow) };
  const both = frames();
  const moved = both
    ? cameras.map((camera, i) => {
        if (i === panel && !bothPanels) return camera;
        const { line, column } = cellOf(both[i].axis, at);
        const next = reveal(camera, both[i].frame, line, column);
        const same =
          Math.abs(next.line - camera.line) < 1e-9 && Math.abs(next.column - camera.column) < 1e-9;
        return same ? camera : next;
      })
    : cameras;
  store.set({ ...at, cameras: moved });
}

/** @param {number} v @param {number} size */
function clamp(v, size) {
  return Math.min(size - 1, Math.max(0, v));
}

/**
 * @param {number} lines
 * @param {number} columns
 */
export function step(lines, columns) {
  const { panel, wrap, o, b } = store.state;
  const axis = lineAxis(ORDERS[panel], wrap);
  const { line, column } = cellOf(axis, { o, b });
  lookAt(blockAt(axis, line + lines, column + columns), true);
}

/** @param {Block | null} pin */
export function setPin(pin) {
  store.set({ pin });
}

export function nextChannel() {
  const { channel, grid } = store.state;
  const list = CHANNELS.filter((c) => !grid || grid.channels.includes(c));
  setChannel(list[(list.indexOf(channel) + 1) % list.length]);
}

/** What takes long about the channel of errors. */
export const MISREADING = 'Reading in the wrong order';

let channelAsked = 0;

/** @param {string} channel */
export async function setChannel(channel) {
  const mine = ++channelAsked;
  const { grid } = store.state;
  const latest = () => mine === channelAsked && store.state.grid === grid;
  if (channel === 'error' && grid) {
    const known = await askLong(MISREADING, 'errors', { key: grid.key }, { grid: grid.key });
    if (!known || !latest()) return;
  }
  store.set({ channel });
}

/**
 * To the next or previous block in the wrong place of the comparison.
 * @param {number} by 1 or -1
 */
export async function walkMisplaced(by) {
  const { grid, comparison, o, b } = store.state;
  if (!grid || comparison?.gridKey !== grid.key) {
    return say('No comparison is shown: compare bytes with this weight first.');
  }
  const block = await attempt(ask('nextMisplaced', { key: grid.key, o, b, by }));
  if (block) lookAt(block, true);
  else if (block === null) say('Every block is in its place.');
}

/** One question about a block at a time, then the newest. */
let blockAsked = false;

async function askBlock() {
  if (blockAsked) return;
  blockAsked = true;
  while (isBlockWanted()) {
    const { grid, o, b, tools: named } = store.state;
    const start = performance.now();
    try {
      const answer = await ask('block', { key: grid.key, o, b, named });
      blockMillis.push(performance.now() - start);
      if (blockMillis.length > 500) blockMillis.splice(0, 250);
      if (store.state.grid?.key === answer.key) store.set({ block: answer, unread: null });
    } catch (error) {
      const shown = store.state.grid === grid;
      // Of a grid that is gone; another may have come meanwhile.
      if (error.name === 'AbortError') {
        if (shown) break;
        continue;
      }
      if (shown) store.set({ block: null, unread: { key: grid.key, o, b, why: explained(error) } });
      complain(error);
    }
  }
  blockAsked = false;
}

function isBlockWanted() {
  const { grid, block, unread, tools } = store.state;
  if (!grid || isInHand(unread)) return false;
  return !isInHand(block) || block.named !== tools;
}

/** Whether it is of the block that the reader is at. @param {Block & { key: number } | null} of */
export function isInHand(of, { grid, o, b } = store.state) {
  return of !== null && of.key === grid?.key && of.o === o && of.b === b;
}

/** That block itself, also while another is still shown. @returns {Promise<any>} */
export async function blockInHand() {
  const { grid, o, b, block, tools: named } = store.state;
  return isInHand(block) ? block : ask('block', { key: grid.key, o, b, named });
}

/** How long the last blocks took from pointer to numbers, for the budget's test. @type {number[]} */
export const blockMillis = [];

store.subscribe((now, before) => {
  const keys = /** @type {const} */ (['grid', 'o', 'b', 'tools']);
  if (now.grid && keys.some((key) => now[key] !== before[key])) askBlock();
});
