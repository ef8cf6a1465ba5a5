import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const blocks = (language) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text]) => text,
  );

test('README: its JavaScript runs as it stands, and prints what it promises', () => {
  assert.equal(blocks('js').length, 1);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', blocks('js')[0]],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, stderr);
  const [product, agrees, disagrees] = stdout.trim().split('\n');
  const [order, copied, exact, expected, fast] = product.split(' ');
  assert.equal(order, 'INPUT_BLOCK_MAJOR');
  assert.equal(Number(copied), 5 * 3 * 144);
  assert.ok(Math.abs(exact - expected) <= 1e-3 * Math.abs(expected));
  assert.ok(Math.abs(fast - expected) <= 0.05 * Math.abs(expected));
  assert.equal(agrees, 'null');
  assert.match(disagrees, /\(1,0\)|\(0,1\)/);
});

test('README: the file that its JavaScript opens is closed, as it tells others to', () => {
  const [script] = blocks('js');
  assert.match(script, /const file = await pw\.openGguf\([\s\S]*await file\.close\(\)/);
  assert.match(script, /await using file/);
});

test('README: every command that it shows is a verb, with options that the verb has', () => {
  const lines = blocks('sh').flatMap((text) =>
    text.split('\n').filter((line) => line.startsWith('npx packed-weights')),
  );
  assert.ok(lines.length >= 4);
  for (const line of lines) {
    const [, , verb, ...words] = line.split(' ');
    const help = spawnSync(process.execPath, [`${root}dist/cli/main.js`, verb, '--help'], {
      encoding: 'utf8',
    });
    assert.equal(help.status, 0, `${verb}: ${help.stderr}`);
    for (const option of words.filter((word) => word.startsWith('-'))) {
      assert.ok(help.stdout.includes(option), `${verb} has no ${option}`);
    }
  }
});

test('README: its npm scripts exist', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  for (const [, name] of readme.matchAll(/`?npm run ([a-z]+)/g)) assert.ok(scripts[name], name);
});

test('documents: what they link to is there', () => {
  for (const path of ['README.md', 'CONTRIBUTING.md', 'src/README.md', 'bindings/js/API.md']) {
    const text = readFileSync(`${root}${path}`, 'utf8');
    const folder = new URL(`../${path}`, import.meta.url);
    for (const [, target] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (target.startsWith('http')) continue;
      assert.ok(existsSync(fileURLToPath(new URL(target, folder))), `${path} links to ${target}`);
    }
  }
});
