// The types that the package ships are those of what it gives, and refuse what it refuses: under the strictest
// settings, both ways of finding them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const strictest =
  '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --lib es2022,dom,esnext.disposable --ignoreConfig';

for (const [module, resolution] of [
  ['node16', 'node16'],
  ['esnext', 'bundler'],
]) {
  test(`types: a consumer of everything compiles as ${resolution} finds them`, () => {
    const options = `${strictest} --module ${module} --moduleResolution ${resolution}`.split(' ');
    const { status, stdout } = spawnSync(
      process.execPath,
      [path('node_modules/typescript/bin/tsc'), ...options, path('js-tests/support/consumer.ts')],
      { cwd: path('.'), encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout);
  });
}
