// Audio that nobody had to record: half a second of a voice-like tone, half a second of noise, and so on; and
// what the network hears of it, 128 numbers per frame.
export const SAMPLE_RATE = 16000;
export const FRAME = 512;
const BANDS = 128;

/** @param {number} seconds @returns {Float32Array} samples, the same ones every time */
export function generateAudio(seconds) {
  let state = 1;
  const noise = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, i) => {
    const t = i / SAMPLE_RATE;
    if (Math.floor(t * 2) % 2 === 1) return 0.02 * noise();
    const pitch = 2 * Math.PI * 140 * t;
    const voice = Math.sin(pitch) + 0.5 * Math.sin(2 * pitch) + 0.3 * Math.sin(5 * pitch);
    return 0.3 * voice + 0.02 * noise();
  });
}

/**
 * Loudness of 128 bands of each frame: the magnitude of one Fourier term each.
 * @param {Float32Array} audio
 * @returns {Float32Array[]} one [128] per frame
 */
export function featuresOf(audio) {
  const frames = [];
  for (let from = 0; from + FRAME <= audio.length; from += FRAME) {
    frames.push(Float32Array.from({ length: BANDS }, (_, band) => loudness(audio, from, band)));
  }
  return frames;
}

// One term of the discrete Fourier transform, by turning a pointer a little for every sample.
function loudness(audio, from, band) {
  const [stepRe, stepIm] = [
    Math.cos((2 * Math.PI * band) / FRAME),
    Math.sin((2 * Math.PI * band) / FRAME),
  ];
  let [re, im, turnRe, turnIm] = [0, 0, 1, 0];
  for (let i = 0; i < FRAME; ++i) {
    re += audio[from + i] * turnRe;
    im += audio[from + i] * turnIm;
    [turnRe, turnIm] = [turnRe * stepRe - turnIm * stepIm, turnRe * stepIm + turnIm * stepRe];
  }
  return Math.log1p(Math.hypot(re, im));
}
