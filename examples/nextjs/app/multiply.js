// The same on the server and in the browser.
import { load } from 'packed-weights';

export async function multiply() {
  const pw = await load();
  const { bytes, out, inputDim, x } = pw.fixtures.decodable('Q4_K');
  const tensors = [{ name: 'ffn.weight', encoding: 'Q4_K', shape: [out, inputDim], bytes }];
  const file = await pw.openGguf(new Blob([pw.writeGguf({ tensors })]));

  const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
  const weight = await file.view('ffn.weight', { weightForm });
  return pw.matmul(x, weight).join(' ');
}
