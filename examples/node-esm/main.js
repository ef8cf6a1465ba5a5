// node main.js: open a GGUF, take a weight in kernel order, multiply.
import { load } from 'packed-weights';

const pw = await load();

// A file of yours is opened the same way: pw.openGguf('model.gguf').
const { bytes, out, inputDim, x } = pw.fixtures.decodable('Q4_K');
const tensors = [{ name: 'ffn.weight', encoding: 'Q4_K', shape: [out, inputDim], bytes }];
const file = await pw.openGguf(pw.writeGguf({ tensors }));

const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
const weight = await file.view('ffn.weight', { weightForm });
console.log(pw.matmul(x, weight).join(' '));
