// node examples/web-worker/run.js: the page and its worker, in both browsers.
import { mustBeExpected } from '../support/expected.js';
import { inBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';

await withInstalled(import.meta.url, ({ folder }) => inBrowsers(folder, mustBeExpected));
