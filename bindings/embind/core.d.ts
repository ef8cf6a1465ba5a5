/**
 * The module's loader, `#core` in bindings/js. Started with the module's bytes, or with the
 * instantiation in the caller's hands; gives the functions that the bind_*.cpp files list.
 */
export default function createCore(options: {
  wasmBinary?: BufferSource;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module?: WebAssembly.Module) => void,
  ) => object;
  /** What is called, and throws, when there is no memory for a text that crosses. */
  outOfMemory?: (size: number) => never;
  /** What is called, and throws, when a handle of another module is passed. */
  foreign?: () => never;
}): Promise<any>;
