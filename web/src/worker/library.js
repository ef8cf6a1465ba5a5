/** The package, loaded once. */
import { load } from 'packed-weights';

/** @type {Promise<Awaited<ReturnType<typeof load>>> | null} */
let loading = null;

export function library() {
  // The worker's name carries the page's ?isa=, for tests.
  loading ??= load({ isa: self.name || 'auto' });
  return loading;
}
