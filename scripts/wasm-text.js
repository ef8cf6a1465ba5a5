// Moves texts to the part that alone needs them: a linker keeps all texts together, so that the first module
// would carry every message of the others.

/**
 * Takes and gives modules as text (WAT): the first one, and the parts in the sequence in which they are loaded.
 * A text moves when code of a part points to it and nothing of the first module does, neither code nor data.
 * @param {string} first
 * @param {string[]} parts
 */
export function moveTexts(first, parts) {
  const segments = [...first.matchAll(/^ \(data (\S+) \(i32\.const (\d+)\) "(.*)"\)$/gm)].map(
    ([line, name, address, content]) => ({
      line,
      name,
      address: Number(address),
      bytes: unescaped(content),
    }),
  );
  const here = addressesIn(first);
  for (const { bytes } of segments) addWords(bytes, here);
  const kept = sorted(here);
  const needed = parts.map((text) => sorted(addressesIn(text)));
  const moved = parts.map(() => '');
  for (const { address, bytes } of segments) {
    for (const [start, end] of textsIn(bytes)) {
      if (touches(kept, address + start, address + end)) continue;
      const owner = needed.findIndex((addresses) =>
        touches(addresses, address + start, address + end),
      );
      if (owner < 0) continue;
      const content = bytes.subarray(start, end);
      moved[owner] +=
        ` (data $text${address + start} (i32.const ${address + start}) "${escaped(content)}")\n`;
      content.fill(0);
    }
  }
  for (const { line, name, address, bytes } of segments) {
    first = first.replace(line, () => ` (data ${name} (i32.const ${address}) "${escaped(bytes)}")`);
  }
  return { first, parts: parts.map((text, i) => text.replace(/\)\s*$/, () => `${moved[i]})\n`)) };
}

// Every number in code that may be an address: constants, their halves and lanes, and offsets of accesses.
function addressesIn(text) {
  const addresses = new Set();
  for (const [, number] of text.matchAll(/(?:i32\.const |offset=)(-?\d+)/g)) {
    addresses.add(Number(number) >>> 0);
  }
  for (const [, number] of text.matchAll(/i64\.const (-?\d+)/g)) {
    const wide = BigInt.asUintN(64, BigInt(number));
    addresses.add(Number(wide & 0xffffffffn)).add(Number(wide >> 32n));
  }
  for (const [, lanes] of text.matchAll(/v128\.const i32x4((?: 0x[0-9a-f]+){4})/g)) {
    for (const lane of lanes.trim().split(' ')) addresses.add(Number(lane));
  }
  return addresses;
}

// Pointers in data may stand anywhere.
function addWords(bytes, addresses) {
  for (let i = 0; i + 4 <= bytes.length; ++i) addresses.add(bytes.readUInt32LE(i));
}

const sorted = (numbers) => Uint32Array.from(numbers).sort();

function touches(addresses, start, end) {
  let [low, high] = [0, addresses.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (addresses[middle] < start) low = middle + 1;
    else high = middle;
  }
  return low < addresses.length && addresses[low] < end;
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
