export default {
  mode: 'production',
  entry: './main.js',
  // The module comes in eight files of up to 351 KB, a third of that on the wire; webpack warns from 244 KiB on.
  performance: { maxAssetSize: 500_000 },
};
