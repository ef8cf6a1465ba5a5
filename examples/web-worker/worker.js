// Workers know no import map: without a bundler the package is imported by its place. With one, write
// 'packed-weights'.
import { load } from './node_modules/packed-weights/dist/index.js';

const loading = load();

globalThis.onmessage = async ({ data: encoding }) => {
  const pw = await loading;
  const { bytes, out, inputDim, x } = pw.fixtures.decodable(encoding);
  const tensors = [{ name: 'ffn.weight', encoding, shape: [out, inputDim], bytes }];
  const file = await pw.openGguf(new Blob([pw.writeGguf({ tensors })]));

  const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
  const weight = await file.view('ffn.weight', { weightForm });
  const y = pw.matmul(x, weight);
  globalThis.postMessage(y, [y.buffer]);
};
