/**
 * Asking for the same files again after a reload, where the browser can: what was chosen in its own dialog is
 * remembered on this machine (as a handle, not as content), and read again only when the reader says so.
 */
import { complain, store } from '../page.js';
import { openFiles } from './files.js';

const DATABASE = 'packed-weights';
const CHOSEN = 'chosen';

/** Whether this browser's dialog gives handles that outlast a reload. */
export const canRemember = () => 'showOpenFilePicker' in globalThis && 'indexedDB' in globalThis;

/** Opens what the reader chooses; nothing when the dialog is closed. */
export async function chooseAndRemember() {
  try {
    const handles = await globalThis.showOpenFilePicker({ multiple: true, id: 'gguf' });
    await remember(handles);
    await open(handles);
  } catch (error) {
    if (error.name !== 'AbortError') complain(error);
  }
}

/**
 * What was dropped is asked for again like what was chosen, where the browser gives a handle of it; otherwise nothing
 * is, rather than what was chosen before it.
 * @param {Iterable<DataTransferItem>} items of a drop: they are there during its event only
 */
export async function rememberDropped(items) {
  if (!canRemember()) return;
  const asked = [...items].map((item) => item.getAsFileSystemHandle?.() ?? null);
  const handles = await Promise.all(asked).catch(() => [null]);
  await remember(handles.includes(null) ? [] : handles).catch(() => {});
}

/** Offers what was chosen last, if it is `name` or no name is asked for. True when there is something. */
export async function offerAgain(name) {
  // A browser that keeps nothing for this page offers nothing.
  const handles = canRemember() ? await remembered().catch(() => []) : [];
  if (!handles.length || (name && handles.every((handle) => handle.name !== name))) return false;
  store.set({ reopen: handles.map((handle) => handle.name) });
  return true;
}

/** Reads the offered files again, asking for permission where the browser wants it asked. */
export async function reopen() {
  try {
    const handles = await remembered();
    for (const handle of handles) {
      if ((await handle.requestPermission({ mode: 'read' })) !== 'granted') return;
    }
    await open(handles);
  } catch (error) {
    complain(error);
  }
}

async function open(handles) {
  store.set({ reopen: null });
  await openFiles(await Promise.all(handles.map((handle) => handle.getFile())));
}

/** @returns {Promise<any[]>} */
async function remembered() {
  return (await request('readonly', (all) => all.get(CHOSEN))) ?? [];
}

const remember = (handles) => request('readwrite', (all) => all.put(handles, CHOSEN));

/** One request to the one table of the database. */
async function request(mode, ask) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(CHOSEN);
  const database = await settled(opening);
  try {
    return await settled(ask(database.transaction(CHOSEN, mode).objectStore(CHOSEN)));
  } finally {
    database.close();
  }
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
