// The parts of the modules as bytes: what esbuild's binary loader makes of them in the inline entry.
declare module '#simd128.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#simd128.columns.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#simd128.tools.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#simd128.files.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#relaxed.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#relaxed.columns.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#relaxed.tools.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#relaxed.files.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
