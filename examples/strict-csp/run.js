// node examples/strict-csp/run.js: the page works under its policy, and the policy is in force.
import { mustBeExpected } from '../support/expected.js';
import { inBrowsers } from '../support/in-browsers.js';
import { withInstalled } from '../support/installed.js';

await withInstalled(import.meta.url, ({ folder }) =>
  inBrowsers(folder, judge, { allowed: /content.security.policy/i }),
);

async function judge(said, page) {
  mustBeExpected(said);
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.ranInline = true';
    document.head.append(script);
    return globalThis.ranInline === true;
  });
  if (ran) throw new Error('the policy lets inline scripts run: it proves nothing');
}
