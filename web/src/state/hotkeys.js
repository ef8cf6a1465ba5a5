/**
 * Every key of the page, once: the listener and the `?` help read the same table. `keys` are
 * KeyboardEvent.key values; a prefix `Alt+` or `Shift+` asks for that modifier.
 *
 * @typedef {{ keys: string[], action: string, does: string, group: string, shown?: string }} Hotkey
 */

/** @type {readonly Hotkey[]} */
export const HOTKEYS = [
  { group: 'Files', keys: ['o'], action: 'open', does: 'open a file' },
  { group: 'Files', keys: ['/'], action: 'filter', does: 'filter tensors' },
  {
    group: 'Files',
    keys: ['Escape'],
    action: 'cancel',
    does: 'cancel, unpin, close',
    shown: 'Esc',
  },
  { group: 'Tabs', keys: ['1'], action: 'tab:orders', does: 'Orders' },
  { group: 'Tabs', keys: ['2', 'x'], action: 'tab:wrong', does: 'Wrong reading' },
  { group: 'Tabs', keys: ['3'], action: 'tab:compare', does: 'Compare' },
  { group: 'Tabs', keys: ['4'], action: 'tab:report', does: 'Report' },
  { group: 'Tabs', keys: ['5'], action: 'tab:trace', does: 'Trace' },
  { group: 'Tabs', keys: ['6'], action: 'tab:bench', does: 'Bench' },
  { group: 'Block', keys: ['ArrowLeft'], action: 'move:column:-1', does: 'left', shown: '←' },
  { group: 'Block', keys: ['ArrowRight'], action: 'move:column:1', does: 'right', shown: '→' },
  { group: 'Block', keys: ['ArrowUp'], action: 'move:line:-1', does: 'up', shown: '↑' },
  { group: 'Block', keys: ['ArrowDown'], action: 'move:line:1', does: 'down', shown: '↓' },
  {
    group: 'Block',
    keys: ['Shift+ArrowLeft'],
    action: 'move:column:-16',
    does: '16 left',
    shown: 'Shift ←',
  },
  {
    group: 'Block',
    keys: ['Shift+ArrowRight'],
    action: 'move:column:16',
    does: '16 right',
    shown: 'Shift →',
  },
  {
    group: 'Block',
    keys: ['Shift+ArrowUp'],
    action: 'move:line:-16',
    does: '16 up',
    shown: 'Shift ↑',
  },
  {
    group: 'Block',
    keys: ['Shift+ArrowDown'],
    action: 'move:line:16',
    does: '16 down',
    shown: 'Shift ↓',
  },
  { group: 'Block', keys: ['Home'], action: 'move:home', does: 'begin of the line' },
  { group: 'Block', keys: ['End'], action: 'move:end', does: 'end of the line' },
  { group: 'Block', keys: ['PageUp'], action: 'move:page:-1', does: 'a screen up', shown: 'PgUp' },
  {
    group: 'Block',
    keys: ['PageDown'],
    action: 'move:page:1',
    does: 'a screen down',
    shown: 'PgDn',
  },
  { group: 'Block', keys: ['Enter'], action: 'pin', does: 'pin the block, or let it go' },
  { group: 'Block', keys: ['g'], action: 'goto', does: 'go to o,b or @flat or 0xoffset' },
  { group: 'Block', keys: ['s'], action: 'panel', does: 'the other panel' },
  { group: 'Block', keys: ['n'], action: 'misplaced:1', does: 'next block in the wrong place' },
  {
    group: 'Block',
    keys: ['N', 'Shift+N'],
    action: 'misplaced:-1',
    does: 'previous one',
    shown: 'N',
  },
  { group: 'Block', keys: ['b'], action: 'bytes', does: 'its bytes' },
  { group: 'Block', keys: ['Alt+t'], action: 'table', does: 'cells as a table', shown: 'Alt T' },
  { group: 'Picture', keys: ['+', '='], action: 'zoom:in', does: 'zoom in', shown: '+' },
  { group: 'Picture', keys: ['-'], action: 'zoom:out', does: 'zoom out', shown: '−' },
  { group: 'Picture', keys: ['0'], action: 'zoom:fit', does: 'fit' },
  { group: 'Picture', keys: ['p'], action: 'prepack', does: 'prepack: run the blocks' },
  { group: 'Picture', keys: ['c'], action: 'channel', does: 'next colour channel' },
  { group: 'Page', keys: ['e'], action: 'export', does: 'export' },
  { group: 'Page', keys: ['l'], action: 'link', does: 'copy link' },
  { group: 'Page', keys: ['t'], action: 'theme', does: 'dark or light' },
  { group: 'Page', keys: ['?'], action: 'help', does: 'this help' },
];

/** @type {Map<string, string>} */
const ACTIONS = new Map(HOTKEYS.flatMap(({ keys, action }) => keys.map((key) => [key, action])));

/**
 * @typedef {{ key: string, code?: string, shiftKey?: boolean, altKey?: boolean, ctrlKey?: boolean, metaKey?: boolean }} Press
 */

/**
 * The key that is meant, also where Caps Lock is on, or where Alt makes another sign of it as on a Mac.
 * @param {Press} event
 */
function typed({ key, code = '', shiftKey, altKey }) {
  const letter = altKey && /^Key[A-Z]$/.test(code) ? code.at(-1) : key;
  if (!/^[a-z]$/i.test(letter)) return letter;
  return shiftKey ? letter.toUpperCase() : letter.toLowerCase();
}

/**
 * The keys of ours that change a block or move in lists: they belong to the focused widget when there is one.
 * @param {string} key
 */
function isNavigation(key) {
  return /^(Arrow|Home$|End$|Page|Enter$)/.test(key);
}

/**
 * @param {Press} event
 * @param {{ typing?: boolean, widget?: boolean }} [where] typing: in a field; widget: on something that uses arrows and Enter itself
 * @returns {string | null} the action
 */
export function actionOf(event, { typing = false, widget = false } = {}) {
  const { shiftKey, altKey, ctrlKey, metaKey } = event;
  const key = typed(event);
  if (ctrlKey || metaKey) return null;
  if (key === 'Escape') return ACTIONS.get(key);
  if (typing || (widget && isNavigation(key))) return null;
  if (altKey) return ACTIONS.get(`Alt+${key}`) ?? null;
  if (shiftKey && key.length > 1) return ACTIONS.get(`Shift+${key}`) ?? null;
  return ACTIONS.get(key) ?? null;
}

/** @returns {Map<string, { keys: string, does: string }[]>} the help, by group */
export function helpTable() {
  const groups = new Map();
  for (const { group, keys, does, shown } of HOTKEYS) {
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push({ keys: shown ?? keys.join(' or '), does });
  }
  return groups;
}
