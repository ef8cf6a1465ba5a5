import { joined } from './damage.js';

/**
 * Carries out what a diagnosis tells a converter's author to do with his bytes; null where it is nothing that can be
 * done to bytes, such as writing them in another way.
 * @param {any} pw
 * @param {Uint8Array} bytes
 * @param {string} fix
 * @param {{ out: number, blocksPerRow: number, blockBytes: number, kernelOrder: boolean }} weight
 * @returns {Uint8Array | null}
 */
export function mended(pw, bytes, fix, weight) {
  const first = /^take bytes\.subarray\((\d+), (\d+)\) for bytes, then /.exec(fix);
  if (first) {
    const part = bytes.subarray(Number(first[1]), Number(first[2]));
    return mended(pw, part, fix.slice(first[0].length), weight);
  }
  const words = /^turn each (\d) bytes round: /.exec(fix);
  if (words) return turnedRound(bytes, Number(words[1]));
  const call =
    /(?:^|: |over )((?:pw\.to(?:Canonical|Kernel)Order|bytes\.subarray)\(.*?\)(?:\)|\.bytes)?)(?=$|\.? |;)/.exec(
      fix,
    );
  if (/^rotate back: nothing/.test(fix)) {
    const at = Number(/subarray\((\d+)\)/.exec(fix)[1]);
    return joined([bytes.subarray(at), bytes.subarray(0, at)]);
  }
  const slip = /^leave out \d+: (bytes\.subarray\(.*?\)) and (bytes\.subarray\(.*?\)) belong/.exec(
    fix,
  );
  if (slip)
    return new Function('joined', 'bytes', `return joined([${slip[1]}, ${slip[2]}])`)(
      joined,
      bytes,
    );
  const lines = /^copy (\d+) bytes of every (\d+): /.exec(fix);
  if (lines) return copied(bytes, Number(lines[1]), Number(lines[2]));
  const rotated = /^rotate back( in each row)?: \w+ 0 stands in place (\d+)/.exec(fix);
  if (rotated) return turnedBack(bytes, rotated[1] ? 'b' : 'o', Number(rotated[2]), weight);
  const swapped = /^skip them: |^hand over /.test(fix) || /pw\.to\w+Order/.test(fix);
  if (!swapped || !call) return null;
  const result = new Function('pw', 'bytes', `return ${call[1]}`)(pw, bytes);
  return result instanceof Uint8Array ? result : result.bytes;
}

/** @param {number} size of a word; what is left at the end is no word */
export function turnedRound(bytes, size) {
  const round = bytes.slice();
  for (let at = 0; at + size <= round.length; at += size) round.subarray(at, at + size).reverse();
  return round;
}

function copied(bytes, length, stride) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += stride) parts.push(bytes.subarray(at, at + length));
  return joined(parts);
}

function turnedBack(bytes, axis, first, { out, blocksPerRow, blockBytes, kernelOrder }) {
  const back = new Uint8Array(bytes.length);
  const place = (o, b) => (kernelOrder ? b * out + o : o * blocksPerRow + b) * blockBytes;
  for (let o = 0; o < out; ++o) {
    for (let b = 0; b < blocksPerRow; ++b) {
      const from =
        axis === 'o' ? place((o + first) % out, b) : place(o, (b + first) % blocksPerRow);
      back.set(bytes.subarray(from, from + blockBytes), place(o, b));
    }
  }
  return back;
}
