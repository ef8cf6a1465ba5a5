// node examples/script-module/run.js: the page as it stands, in both browsers.
import { mustBeExpected } from '../support/expected.js';
import { inBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';

await withInstalled(import.meta.url, ({ folder }) => inBrowsers(folder, mustBeExpected));
