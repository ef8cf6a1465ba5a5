// Moves texts and tables to the part that alone needs them: a linker keeps all data together, so that the first
// module would carry every message of the others.

/**
 * Takes and gives modules as text (WAT): the first one, and the parts in the sequence in which they are loaded.
 * Data moves when a part points to it, from code or from data that moves, and nothing else does.
 * @param {string} first
 * @param {string[]} parts
 * @param {[number, number][]} tables addresses, [start, end), of what the linker's map names
 */
export function moveData(first, parts, tables) {
  const segments = [...first.matchAll(/^ \(data (\S+) \(i32\.const (\d+)\) "(.*)"\)$/gm)].map(
    ([line, name, at, content]) => ({ line, name, start: Number(at), bytes: unescaped(content) }),
  );
  const items = itemsOf(segments, tables);
  const owners = new Map();
  const claim = (addresses, owner, margin) => {
    for (let open = addresses; open.size > 0;) {
      const fresh = itemsAt(items, open, margin).filter((item) => !owners.has(item));
      for (const item of fresh) owners.set(item, owner);
      open = wordsIn(fresh.flatMap(({ pieces }) => pieces));
    }
  };
  // A compiler may count from a little before a table: what the first module comes near stays.
  claim(addressesIn(first), 'first', 8);
  claim(wordsIn(gapsOf(segments, items)), 'first', 0);
  const moved = parts.map((text, part) => {
    claim(addressesIn(text), part, 0);
    return items.filter((item) => owners.get(item) === part).flatMap(({ pieces }) => pieces);
  });
  const lines = moved.map((pieces) => pieces.map(lineOf).join(''));
  for (const { bytes } of moved.flat()) bytes.fill(0);
  for (const { line, name, start, bytes } of segments) {
    first = first.replace(line, () => lineOf({ name, start, bytes }).trimEnd());
  }
  return { first, parts: parts.map((text, i) => text.replace(/\)\s*$/, () => `${lines[i]})\n`)) };
}

const lineOf = ({ name, start, bytes }) =>
  ` (data ${name ?? `$moved${start}`} (i32.const ${start}) "${escaped(bytes)}")\n`;

// What can move: tables, in pieces where Binaryen has left out zeros, and the texts between them.
function itemsOf(segments, tables) {
  const cut = (start, end) =>
    segments.flatMap((segment) => {
      const from = Math.max(start, segment.start);
      const to = Math.min(end, segment.start + segment.bytes.length);
      const bytes = segment.bytes.subarray(from - segment.start, to - segment.start);
      return from < to ? [{ start: from, bytes }] : [];
    });
  const items = tables.map(([start, end]) => ({
    start,
    end,
    table: true,
    pieces: cut(start, end),
  }));
  for (const segment of segments) {
    for (const [from, to] of textsIn(segment.bytes)) {
      const [start, end] = [segment.start + from, segment.start + to];
      if (tables.some(([a, b]) => start < b && a < end)) continue;
      items.push({ start, end, table: false, pieces: cut(start, end) });
    }
  }
  return items;
}

// What cannot move, in pieces.
function gapsOf(segments, items) {
  return segments.map(({ start, bytes }) => {
    const rest = Buffer.from(bytes);
    for (const { pieces } of items) {
      for (const piece of pieces) {
        const from = piece.start - start;
        if (from >= 0 && from < rest.length) rest.fill(0, from, from + piece.bytes.length);
      }
    }
    return { start, bytes: rest };
  });
}

// Pointers in data are aligned.
function wordsIn(pieces) {
  const words = new Set();
  for (const { start, bytes } of pieces) {
    for (let i = -start & 3; i + 4 <= bytes.length; i += 4) words.add(bytes.readUInt32LE(i));
  }
  return words;
}

function itemsAt(items, addresses, margin) {
  const sorted = Uint32Array.from(addresses).sort();
  return items.filter(({ start, end, table }) => {
    const from = table ? start - margin : start;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < from) low = middle + 1;
      else high = middle;
    }
    return low < sorted.length && sorted[low] < end;
  });
}

// Every number in code that may be an address: constants, their halves and lanes, and offsets of accesses.
function addressesIn(text) {
  const addresses = new Set();
  const code = text.replace(/^ \((?:data|elem) .*$/gm, '');
  for (const [, number] of code.matchAll(/(?:i32\.const |offset=)(-?\d+)/g)) {
    addresses.add(Number(number) >>> 0);
  }
  for (const [, number] of code.matchAll(/i64\.const (-?\d+)/g)) {
    const wide = BigInt.asUintN(64, BigInt(number));
    addresses.add(Number(wide & 0xffffffffn)).add(Number(wide >> 32n));
  }
  for (const [, lanes] of code.matchAll(/v128\.const i32x4((?: 0x[0-9a-f]+){4})/g)) {
    for (const lane of lanes.trim().split(' ')) addresses.add(Number(lane));
  }
  return addresses;
}

// [start, end) of texts; each ends at a zero byte. Shorter ones are not worth a segment of their own.
function* textsIn(bytes) {
  for (let start = 0; start < bytes.length;) {
    let end = bytes.indexOf(0, start);
    if (end < 0) end = bytes.length;
    const text = bytes.subarray(start, end);
    if (text.length >= 12 && text.every((byte) => byte >= 0x20 && byte !== 0x7f))
      yield [start, end];
    start = end + 1;
  }
}

const shortEscapes = { t: 9, n: 10, r: 13 };

function unescaped(content) {
  const bytes = [];
  for (const [, hex, short, plain] of content.matchAll(/\\([0-9a-f]{2})|\\(.)|([^\\]+)/g)) {
    if (hex !== undefined) bytes.push(parseInt(hex, 16));
    else if (short !== undefined) bytes.push(shortEscapes[short] ?? short.charCodeAt(0));
    else bytes.push(...Buffer.from(plain));
  }
  return Buffer.from(bytes);
}

const escaped = (bytes) =>
  Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
