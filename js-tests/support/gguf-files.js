/** Small files for the page's tests, written by the package. */

/** @param {number} length @param {number} seed */
function noise(length, seed) {
  let s = seed;
  return Float32Array.from({ length }, () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 31 - 1;
  });
}

/** @param {any} pw @returns {Uint8Array} */
export function smallModel(pw) {
  const weight = (name, encoding, shape, seed) => {
    const inputDim = shape.at(-1);
    const { bytes } = pw.quantize(
      noise(
        shape.reduce((a, b) => a * b),
        seed,
      ),
      encoding,
      { inputDim },
    );
    return { name, ne: [...shape].reverse(), encoding, bytes };
  };
  return pw.writeGguf({
    metadata: new Map([['general.architecture', 'test']]),
    tensors: [
      weight('tall.weight', 'Q4_0', [37, 96], 1),
      weight('wide.weight', 'Q8_0', [3, 160], 2),
      weight('experts.weight', 'Q8_0', [4, 6, 96], 3),
      {
        name: 'norm.weight',
        ne: [48],
        encoding: 'F32',
        bytes: new Uint8Array(noise(48, 4).buffer),
      },
    ],
  });
}

/** @param {Uint8Array} good */
export function hostileFiles(good) {
  const changed = (/** @type {(view: DataView) => void} */ edit) => {
    const copy = good.slice();
    edit(new DataView(copy.buffer));
    return copy;
  };
  return [
    { name: 'empty.gguf', bytes: new Uint8Array(0), says: /./ },
    { name: 'cut.gguf', bytes: good.slice(0, 60), says: /offset|byte/i },
    { name: 'text.gguf', bytes: new TextEncoder().encode('version https://git-lfs'), says: /./ },
    { name: 'counts.gguf', bytes: changed((v) => v.setBigUint64(8, 2n ** 62n, true)), says: /./ },
    { name: 'data-cut.gguf', bytes: good.slice(0, good.length - 600), says: /./ },
  ];
}
