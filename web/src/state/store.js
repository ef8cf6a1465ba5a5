/**
 * One state for the page. Views read it and are told after it changed; nothing else is shared.
 *
 * @typedef {import('../picture/camera.js').Camera} Camera
 * @typedef {import('../picture/arrangement.js').Block} Block
 * @typedef {import('../picture/arrangement.js').Order} Order
 */

/**
 * @template {object} S
 * @param {S} initial
 */
export function createStore(initial) {
  let state = Object.freeze({ ...initial });
  /** @type {Set<(state: Readonly<S>, before: Readonly<S>) => void>} */
  const listeners = new Set();
  return {
    /** @returns {Readonly<S>} */
    get state() {
      return state;
    },
    /** @param {Partial<S>} patch */
    set(patch) {
      const before = state;
      const changed = Object.keys(patch).some((key) => !Object.is(before[key], patch[key]));
      if (!changed) return;
      state = Object.freeze({ ...before, ...patch });
      for (const listener of [...listeners]) listener(state, before);
    },
    /**
     * @param {(state: Readonly<S>, before: Readonly<S>) => void} listener
     * @returns {() => void} call it to stop listening
     */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
