import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * A file of the folder with real models that may lie beside the repository (or in $PACKED_SHARED), or null.
 * What is tested on such files is tested on made ones as well, so nothing is unproved without them.
 */
export function sharedFile(name) {
  const folder =
    process.env.PACKED_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));
  const path = `${folder}/${name}`;
  return existsSync(path) ? path : null;
}
