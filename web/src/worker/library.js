/** The package, loaded once: first what the picture needs, the rest behind it. */
import { load } from 'packed-weights';

/** @type {Promise<Awaited<ReturnType<typeof load>>> | null} */
let loading = null;

/** What decodes and relays. */
export function library() {
  // The worker's name carries the page's ?isa=, for tests.
  loading ??= load({ isa: self.name || 'auto', tools: false });
  return loading;
}

/** With what names fields and proves. */
export async function wholeLibrary() {
  const pw = await library();
  await pw.loadTools();
  return pw;
}
