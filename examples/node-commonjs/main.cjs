// node main.cjs: the package is an ES module, which CommonJS loads with import().
async function main() {
  const { load } = await import('packed-weights');
  const pw = await load();

  const { bytes, out, inputDim, x } = pw.fixtures.decodable('Q4_K');
  const tensors = [{ name: 'ffn.weight', encoding: 'Q4_K', shape: [out, inputDim], bytes }];
  const file = await pw.openGguf(pw.writeGguf({ tensors }));

  const weightForm = { shape: 'OUT_IN', order: 'KERNEL_FEED' };
  const weight = await file.view('ffn.weight', { weightForm });
  console.log(pw.matmul(x, weight).join(' '));
}

main();
