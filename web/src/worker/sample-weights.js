/**
 * The weights of built-in files, made here so that the page weighs nothing more. Their scales draw a picture, so
 * that a wrong reading is seen and not only counted.
 */

/** @typedef {{ name: string, ne: number[], encoding: string, bytes: Uint8Array }} SampleTensor */

/** @type {Record<string, () => SampleTensor[]>} */
export const samples = { mixed, million };

/** Where the half floats of a block are that scale everything in it. */
const FORMATS = {
  Q4_0: { elements: 32, bytes: 18, scales: [[0, 1 / 8]] },
  Q8_0: { elements: 32, bytes: 34, scales: [[0, 1 / 127]] },
  Q4_K: { elements: 256, bytes: 144, scales: [[0, 1 / 480], [2, 1 / 64]] }, // prettier-ignore
  Q6_K: { elements: 256, bytes: 210, scales: [[208, 1 / 2048]] },
};

/**
 * The whole file.
 * @param {import('./samples.js').SampleHeader} head
 * @param {SampleTensor[]} tensors
 */
export function sampleBytes({ header, description }, tensors) {
  const file = new Uint8Array(description.size);
  file.set(Uint8Array.from(atob(header), (c) => c.charCodeAt(0)));
  for (const { name, offset } of description.tensors) {
    file.set(tensors.find((tensor) => tensor.name === name).bytes, offset);
  }
  return file;
}

function mixed() {
  const norm = Float32Array.from({ length: 64 }, (_, i) => 1 + Math.sin(i / 5) / 4);
  return [
    weight('rings.weight', 'Q8_0', 96, 64, rings),
    weight('seed.weight', 'Q8_0', 2, 3, (y, x) => 0.3 + y * 0.4 + x * 0.25),
    weight('blk.0.ffn_down.weight', 'Q4_K', 128, 16, rings),
    weight('blk.0.attn_q.weight', 'Q6_K', 64, 4, (y, x) => 0.2 + 0.8 * x * (1 - y)),
    weight('odd.weight', 'Q4_0', 33, 3, (y, x) => 0.2 + y * x),
    weight('one-block-wide.weight', 'Q4_0', 64, 1, (y) => 0.2 + y),
    { name: 'blk.0.norm.weight', ne: [64], encoding: 'F32', bytes: new Uint8Array(norm.buffer) },
  ];
}

/** 1,048,576 blocks: what the picture must fly at 60 frames a second. */
function million() {
  return [weight('million.weight', 'Q4_0', 1024, 1024, rings)];
}

/** @param {number} y 0..1 @param {number} x 0..1 */
function rings(y, x) {
  const r = Math.hypot(y - 0.45, x - 0.55);
  return 0.12 + 0.88 * (0.5 + 0.5 * Math.cos(r * 18)) * Math.max(0, 1 - r);
}

/**
 * Blocks of any codes whose scale is given by their place.
 * @param {string} name
 * @param {keyof typeof FORMATS} encoding
 * @param {number} out
 * @param {number} blocksPerRow
 * @param {(y: number, x: number) => number} size
 */
function weight(name, encoding, out, blocksPerRow, size) {
  const { elements, bytes: blockBytes, scales } = FORMATS[encoding];
  const words = new Uint32Array(Math.ceil((out * blocksPerRow * blockBytes) / 4));
  let s = 1;
  for (let i = 0; i < words.length; i++) {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    words[i] = s ^ (s >>> 16);
  }
  const bytes = new Uint8Array(words.buffer, 0, out * blocksPerRow * blockBytes);
  const view = new DataView(words.buffer);
  for (let o = 0, at = 0; o < out; o++) {
    for (let b = 0; b < blocksPerRow; b++, at += blockBytes) {
      for (const [offset, share] of scales) {
        view.setUint16(at + offset, half(0.08 * share * size(o / out, b / blocksPerRow)), true);
      }
    }
  }
  return { name, ne: [blocksPerRow * elements, out], encoding, bytes };
}

const one = new Float32Array(1);
const bits = new Uint32Array(one.buffer);

/** @param {number} v positive, normal as a half float @returns {number} its bits */
function half(v) {
  one[0] = v;
  return Math.max(1, (bits[0] >>> 13) - (112 << 10));
}
