export default {
  mode: 'production',
  entry: './main.js',
  // The kernels are two files of 370 KB, a third of that on the wire; webpack warns from 244 KiB on.
  performance: { maxAssetSize: 500_000 },
};
