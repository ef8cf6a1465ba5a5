// esbuild places no files beside a script: the inline entry has them inside. To fetch them as files, bundle
// 'packed-weights' and copy node_modules/packed-weights/dist/*.wasm beside the output.
import { load } from 'packed-weights/inline';

const pw = await load();

// A File from an <input> or a URL is opened the same way.
const { bytes, out, inputDim, x } = pw.fixtures.decodable('Q4_K');
const tensors = [{ name: 'ffn.weight', encoding: 'Q4_K', shape: [out, inputDim], bytes }];
const file = await pw.openGguf(new Blob([pw.writeGguf({ tensors })]));

const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
const weight = await file.view('ffn.weight', { weightForm });
document.querySelector('output').textContent = pw.matmul(x, weight).join(' ');
