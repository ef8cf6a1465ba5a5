// npx tsc && node dist/main.js
import { load, PackedError, type GgufFile, type View } from 'packed-weights';

const pw = await load();

async function openWeight(file: GgufFile, name: string): Promise<View> {
  return file.view(name, { weightForm: { shape: 'OUT_IN', order: 'KERNEL_FEED' } });
}

const { bytes, out, inputDim, x } = pw.fixtures.decodable('Q4_K');
const tensors = [{ name: 'ffn.weight', encoding: 'Q4_K', shape: [out, inputDim], bytes }];
const file = await pw.openGguf(pw.writeGguf({ tensors }));

const weight = await openWeight(file, 'ffn.weight');
const y: Float32Array = pw.matmul(x, weight);
console.log(y.join(' '));

try {
  await openWeight(file, 'attn.weight');
} catch (error) {
  if (!(error instanceof PackedError) || error.code !== 'TENSOR_NOT_FOUND') throw error;
}
