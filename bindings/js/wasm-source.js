import { PackedError, describe } from './errors.js';
import { failing } from './load-failed.js';

/**
 * Where a module's bytes may come from.
 * @typedef {URL | string | Response | BufferSource | WebAssembly.Module} WasmSource
 */

// (module (func (param v128 v128 v128) (result v128)
//   local.get 0 local.get 1 local.get 2 i32x4.relaxed_dot_i8x16_i7x16_add_s))
const relaxedProbe = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x01, 0x60, 0x03, 0x7b, 0x7b, 0x7b,
  0x01, 0x7b, 0x03, 0x02, 0x01, 0x00, 0x0a, 0x0d, 0x01, 0x0b, 0x00, 0x20, 0x00, 0x20, 0x01, 0x20,
  0x02, 0xfd, 0x93, 0x02, 0x0b,
]);

/** Whether this engine accepts relaxed SIMD at all. Says nothing about what it computes. */
export function acceptsRelaxedSimd() {
  return WebAssembly.validate(relaxedProbe);
}

/**
 * Compiles a module from wherever its bytes are.
 * @param {WasmSource} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source) {
  const { href, url } = /** @type {any} */ (source ?? {});
  return failing(() => compiled(source), typeof source === 'string' ? source : href || url);
}

/**
 * @param {WasmSource} source
 * @returns {Promise<WebAssembly.Module>}
 */
async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return WebAssembly.compile(/** @type {BufferSource} */ (source));
  }
  if (typeof Response !== 'undefined' && source instanceof Response) return fromResponse(source);
  if (source instanceof URL || typeof source === 'string') return fromUrl(source);
  throw new PackedError(
    'INVALID_ARGUMENT',
    `wasm must be a URL, Response, BufferSource or WebAssembly.Module, not ${describe(source)}`,
  );
}

/** @param {URL | string} source */
async function fromUrl(source) {
  const url = new URL(source, globalThis.document?.baseURI ?? import.meta.url);
  if (url.protocol !== 'file:') return fromResponse(await fetch(url));
  // Put together while running, so that bundlers do not look for it in a browser build.
  const { readFile } = await import(/* @vite-ignore */ ['node', 'fs/promises'].join(':'));
  return WebAssembly.compile(await readFile(url).catch(notFound));
}

/** @param {Error} cause @returns {never} */
function notFound(cause) {
  throw new PackedError(
    'LOAD_FAILED',
    `${cause.message}. Leave packed-weights out of what is bundled for servers (Next.js: serverExternalPackages), or import 'packed-weights/inline'`,
    { cause },
  );
}

/** @param {Response} response */
async function fromResponse(response) {
  const type = response.headers.get('content-type') ?? '';
  // Servers of single-page apps answer what they do not have with the page.
  if (!response.ok || type.startsWith('text/html')) {
    throw new PackedError(
      'LOAD_FAILED',
      `${response.url} answered ${response.status} ${type}: serve the package's .wasm files beside its script, or pass load({ wasm })`,
    );
  }
  // A server that does not say application/wasm cannot be streamed from; its bytes are as good.
  if (type.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
