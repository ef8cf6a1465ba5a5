export default {
  // On the server Node loads the package by itself, its .wasm files where they lie. What browsers get is
  // bundled; nothing has to be configured for that.
  serverExternalPackages: ['packed-weights'],
};
