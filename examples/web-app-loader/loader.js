// The part of a web app that loads a weight once and multiplies with it ever after. In a page `source` is a
// File from an input or a drop, or a URL; nothing is uploaded.

/**
 * @param {import('packed-weights').PackedWeights} pw
 * @param {Blob | URL | Uint8Array} source
 * @param {string} name of the tensor
 */
export async function loadWeight(pw, source, name) {
  const file = await pw.openGguf(source);
  const scope = pw.scope({ name });
  try {
    // OUT_IN reads the label the engine's way; KERNEL_FEED relays the blocks while they arrive.
    const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
    const view = await file.view(name, { weightForm, scope });
    return {
      view,
      /** @param {Float32Array} x @returns {Float32Array} */
      apply: (x) => pw.matmul(x, view),
      dispose: () => scope.close(),
    };
  } catch (error) {
    scope.close();
    throw error;
  } finally {
    await file.close();
  }
}
