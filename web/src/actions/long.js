/** What takes long: its bar, and its end. Several may go on at once; the bar is of what began last. */
import { ask, complain, store } from '../page.js';

/**
 * @typedef {object} Progress
 * @property {string} what
 * @property {number} done
 * @property {number} total 0 where nobody knows
 * @property {{ name: string, metadata: [string, string][], metadataCount: number }} [arrived] what a file that is being
 *   opened has said so far
 */

/** In milliseconds: what is over by then was not worth a bar, which moves what is below it. */
const SOON = 300;

/** What goes on, each with its bar once it has one. @type {Map<object, Progress | null>} */
const underWay = new Map();

function show() {
  store.set({ progress: [...underWay.values()].findLast((bar) => bar !== null) ?? null });
}

/**
 * Something has begun.
 * @param {string} what
 * @param {{ total?: number, soon?: number }} [how] `soon`: when its bar is shown
 */
export function begun(what, { total = 0, soon = 0 } = {}) {
  const mine = {};
  /** @type {Progress} */
  let bar = { what, done: 0, total };
  let due = soon === 0;
  const draw = () => {
    if (!due || !underWay.has(mine)) return;
    underWay.set(mine, bar);
    show();
  };
  underWay.set(mine, null);
  const timer = setTimeout(() => {
    due = true;
    draw();
  }, soon);
  draw();
  return {
    /** @param {Partial<Progress>} patch */
    told(patch) {
      bar = { ...bar, ...patch };
      draw();
    },
    /** @returns {boolean} whether it was not cancelled before */
    ended() {
      clearTimeout(timer);
      const kept = underWay.delete(mine);
      show();
      return kept;
    },
  };
}

/** @type {() => void} */
let endReading = () => {};

/** A file or a tensor is read to be shown: whatever was read before it no longer is. @type {typeof begun} */
export function beginReading(what, how) {
  endReading();
  const bar = begun(what, how);
  endReading = bar.ended;
  return bar;
}

/** Whether there was something to cancel. What is answered late is then not shown. */
export function cancelAll() {
  const some = underWay.size > 0;
  underWay.clear();
  show();
  return some;
}

/**
 * Asks the worker for what may take long.
 * @param {string} what it is called
 * @param {string} question
 * @param {object} about
 * @param {import('../page.js').Place} [place] of what is said of a failure
 * @returns {Promise<any>} undefined where there is no answer: it failed, which has been said, or was cancelled
 */
export async function askLong(what, question, about, place) {
  const { told, ended } = begun(what, { soon: SOON });
  try {
    const answer = await ask(question, about, [], told);
    return ended() ? answer : undefined;
  } catch (error) {
    if (ended()) complain(error, place);
    return undefined;
  }
}
