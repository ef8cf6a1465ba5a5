/** Files by drop anywhere and by paste. The button is in the header. */
import { openFiles } from './actions/files.js';
import { rememberDropped } from './actions/reopen.js';
import { say, store } from './page.js';

const NOT_A_FILE =
  'That is text, not a file. The page fetches nothing from elsewhere: download the model and drop the file itself.';

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
    // Else a dropped link would be followed, and the opened file lost.
    if (!isField(event.target)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (isField(event.target) && !carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    show(false);
    if (!carriesFiles(event)) return say(NOT_A_FILE, 'error');
    const folder = folderAmong(event.dataTransfer.items);
    if (folder) return say(`${folder} is a folder: drop the files in it.`, 'error');
    const files = [...event.dataTransfer.files];
    const zone = event
      .composedPath()
      .find((el) => el instanceof Element && el.matches('[data-drop]'));
    if (zone) return zone.dispatchEvent(new CustomEvent('files', { detail: files }));
    void rememberDropped(event.dataTransfer.items);
    openFiles(files);
  });
  addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length) {
      void rememberDropped([]);
      openFiles(files);
    } else if (!isField(event.target)) {
      say(NOT_A_FILE, 'error');
    }
  });
}

/** Where text belongs. @param {EventTarget | null} target */
function isField(target) {
  return target instanceof Element && target.matches('input, textarea');
}

/** @param {DataTransferItemList} items @returns {string | undefined} its name */
function folderAmong(items) {
  return [...items].map((item) => item.webkitGetAsEntry?.()).find((entry) => entry?.isDirectory)
    ?.name;
}
