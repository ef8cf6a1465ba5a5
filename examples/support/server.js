/** A bundler's or a framework's own server, while something is done with it. */
import { spawn } from 'node:child_process';

/**
 * Starts a Node program that says http://127.0.0.1:PORT when it listens, does `work` with that address, ends it.
 * @param {string} folder
 * @param {string[]} args the program and its arguments
 * @param {(url: string) => Promise<void>} work
 */
export async function withServer(folder, args, work) {
  // Colours, which some print wherever CI is set, would stand inside the address.
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  const server = spawn(process.execPath, args, { cwd: folder, env });
  try {
    await work(await addressOf(server));
  } finally {
    // One that closes in its own time would keep this program from ending.
    server.kill('SIGKILL');
  }
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = () => reject(new Error(`it says no address after a minute: ${said}`));
    const limit = setTimeout(late, 60_000);
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (!address) return;
        clearTimeout(limit);
        resolve(address);
      });
    }
    server.on('error', reject);
    server.on('exit', (status) => reject(new Error(`it ended with ${status}: ${said}`)));
  });
}
