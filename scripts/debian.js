// Debian: which release this is, and installing packages.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.js';
import { attempt, Failure, say, which } from './terminal.js';

/** 'bookworm', 'trixie', ... on Debian, otherwise null. */
export function debianCodename() {
  try {
    const release = readFileSync('/etc/os-release', 'utf8');
    if (!/^ID=debian$/m.test(release)) return null;
    return /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** True when packages can be installed here: root on Debian. */
export function canInstall() {
  return process.getuid?.() === 0 && debianCodename() !== null && which('apt-get') !== null;
}

/** The folder of this machine's libraries, e.g. x86_64-linux-gnu; null on other processors. */
export function libraryTriplet() {
  return { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch] ?? null;
}

/** apt's messages without the address of the mirror, which is nobody else's business. */
export function withoutAddresses(text) {
  return text.replace(/\b[a-z][a-z+-]*:\/\/\S+/g, '(mirror)');
}

/** Installs Debian packages. Refreshes apt's lists only when installing fails without it. */
export async function aptInstall(names) {
  await withLock(join(tmpdir(), 'packed-weights-apt.lock'), async () => {
    const first = await apt(['install', ...names]);
    if (first.status === 0) return;
    say('Refreshing the package lists');
    const refreshed = await apt(['update']);
    const second = await apt(['install', ...names]);
    if (second.status === 0) return;
    process.stdout.write(withoutAddresses(refreshed.output + second.output));
    throw new Failure(`apt-get could not install ${names.join(' ')}; its messages are above.`);
  });
}

function apt(args) {
  const options = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=600'];
  // A machine that is thrown away after the run need not survive a power cut while installing.
  if (process.env.CI) options.push('-o', 'Dpkg::Options::=--force-unsafe-io');
  return attempt('apt-get', [...options, ...args], {
    show: 'never',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
