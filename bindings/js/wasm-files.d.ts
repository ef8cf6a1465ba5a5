declare module '#simd128.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module '#relaxed.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
