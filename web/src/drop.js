/** Files by drop anywhere and by paste. The button is in the header. */
import { openFiles } from './actions/files.js';
import { store } from './page.js';

export function listenToDrops() {
  let depth = 0;
  const carriesFiles = (/** @type {DragEvent} */ event) =>
    event.dataTransfer?.types.includes('Files');
  const show = (/** @type {boolean} */ dragging) => store.set({ dragging });
  addEventListener('dragenter', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth++;
    show(true);
  });
  addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    if (!depth) show(false);
  });
  addEventListener('dragover', (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    show(false);
    const files = [...event.dataTransfer.files];
    const zone = event
      .composedPath()
      .find((el) => el instanceof Element && el.matches('[data-drop]'));
    if (zone) zone.dispatchEvent(new CustomEvent('files', { detail: files }));
    else openFiles(files);
  });
  addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length) openFiles(files);
  });
}
