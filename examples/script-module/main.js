// The browser finds the package through the import map in index.html, its .wasm files beside it.
import { load } from 'packed-weights';

const pw = await load();

// A File from an <input> or a URL is opened the same way.
const { bytes, out, inputDim, x } = pw.fixtures.decodable('Q4_K');
const tensors = [{ name: 'ffn.weight', encoding: 'Q4_K', shape: [out, inputDim], bytes }];
const file = await pw.openGguf(new Blob([pw.writeGguf({ tensors })]));

const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
const weight = await file.view('ffn.weight', { weightForm });
document.querySelector('output').textContent = pw.matmul(x, weight).join(' ');
