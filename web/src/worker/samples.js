/**
 * Built-in files, made here so that the page weighs nothing more. Their scales draw a picture, so that a
 * wrong reading is seen and not only counted.
 */
import { library } from './library.js';

/** @type {Record<string, () => Promise<Uint8Array>>} */
const SAMPLES = { mixed, million };

/** @param {string} id */
export async function sampleFile(id) {
  const make = Object.hasOwn(SAMPLES, id) ? SAMPLES[id] : null;
  if (!make) {
    const error = new Error(
      `There is no sample "${id}"; there are ${Object.keys(SAMPLES).join(', ')}.`,
    );
    throw Object.assign(error, { code: 'NO_SAMPLE' });
  }
  return new File([await make()], `sample-${id}.gguf`);
}

async function mixed() {
  const pw = await library();
  const tensors = [
    weight(pw, 'rings.weight', 'Q8_0', 96, 2048, rings),
    weight(pw, 'seed.weight', 'Q8_0', 2, 96, (y, x) => 0.3 + y * 0.4 + x * 0.25),
    weight(pw, 'blk.0.ffn_down.weight', 'Q4_K', 128, 4096, rings),
    weight(pw, 'blk.0.attn_q.weight', 'Q6_K', 64, 1024, (y, x) => 0.2 + 0.8 * x * (1 - y)),
    weight(pw, 'one-block-wide.weight', 'Q4_0', 64, 32, (y) => 0.2 + y),
    {
      name: 'blk.0.norm.weight',
      ne: [64],
      encoding: 'F32',
      bytes: new Uint8Array(
        Float32Array.from({ length: 64 }, (_, i) => 1 + Math.sin(i / 5) / 4).buffer,
      ),
    },
  ];
  const metadata = new Map([
    ['general.architecture', 'sample'],
    ['general.name', 'packed-weights sample'],
    ['general.quantization_version', 2],
  ]);
  return pw.writeGguf({ metadata, tensors });
}

/** 1,048,576 blocks: what the picture must fly at 60 frames a second. */
async function million() {
  const pw = await library();
  const side = 1024;
  const bytes = new Uint8Array(side * side * 18);
  const words = new DataView(bytes.buffer);
  for (let o = 0, at = 0; o < side; o++) {
    for (let b = 0; b < side; b++, at += 18) {
      words.setUint16(at, 0x2000 + Math.round(0x1400 * rings(o / side, b / side)), true);
      words.setUint32(at + 4, Math.imul(o * side + b, 0x9e3779b1) >>> 0, true);
    }
  }
  const tensors = [{ name: 'million.weight', ne: [side * 32, side], encoding: 'Q4_0', bytes }];
  const metadata = new Map([
    ['general.architecture', 'sample'],
    ['general.quantization_version', 2],
  ]);
  return pw.writeGguf({ metadata, tensors });
}

/** @param {number} y 0..1 @param {number} x 0..1 */
function rings(y, x) {
  const r = Math.hypot(y - 0.45, x - 0.55);
  return 0.12 + 0.88 * (0.5 + 0.5 * Math.cos(r * 18)) * Math.max(0, 1 - r);
}

function weight(pw, name, encoding, out, inputDim, size) {
  const floats = new Float32Array(out * inputDim);
  let s = 1;
  for (let o = 0, at = 0; o < out; o++) {
    for (let i = 0; i < inputDim; i++, at++) {
      s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
      floats[at] = (s / 2 ** 31 - 1) * 0.08 * size(o / out, i / inputDim);
    }
  }
  const { bytes } = pw.quantize(floats, encoding, { inputDim });
  return { name, ne: [inputDim, out], encoding, bytes };
}
