// One at a time, across processes: a lock file that names its owner.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './terminal.js';

/**
 * Runs `work` while holding the lock file `path`. Waits for another holder; the lock of a process
 * that no longer runs is taken over.
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}`;
  let told = false;
  while (!take(path, mine)) {
    const owner = ownerOf(path);
    if (owner !== null && !isRunning(owner)) {
      breakLock(path, owner, mine);
      continue;
    }
    if (!told) say(`Waiting for process ${owner ?? '?'}, which holds ${path}`);
    told = true;
    await sleep(250);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

// A link appears together with its content, so nobody ever reads a lock without an owner.
function take(path, mine) {
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || null;
  } catch {
    return null;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// Moved aside before it is removed: if somebody took the lock over in between, it is put back.
function breakLock(path, owner, mine) {
  const aside = `${mine}.stale`;
  try {
    renameSync(path, aside);
    if (ownerOf(aside) !== owner) linkSync(aside, path);
  } catch {
    // somebody else was quicker
  } finally {
    rmSync(aside, { force: true });
  }
}
