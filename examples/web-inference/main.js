// node main.js FILE.gguf
import { describe, infer } from './infer.js';

const [path] = process.argv.slice(2);
if (!path) throw new Error('Say which file: node main.js FILE.gguf');
const onTerminal = process.stderr.isTTY;
const result = await infer(path, (share) => {
  if (onTerminal) process.stderr.write(`\rreading ${(share * 100).toFixed(0)} %`);
});
if (onTerminal) process.stderr.write('\n');
console.log(describe(result));
