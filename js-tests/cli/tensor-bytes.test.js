// What is copied from file to file is never held whole, whatever its size.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { copied, pieceBytes } from '../../bindings/cli/tensor-bytes.js';
import { commandIn } from '../support/command-line.js';
import { ggufFile } from '../support/gguf-writer.js';

const folder = mkdtempSync(join(tmpdir(), 'packed-pieces-'));
after(() => rmSync(folder, { recursive: true }));
const packedWeights = commandIn(folder);

test('copied: any number of bytes comes in sequence, in pieces of at most pieceBytes', async () => {
  const piece = new Uint8Array(pieceBytes);
  for (const length of [0, 1, pieceBytes, pieceBytes + 1, 2 ** 31, 2 ** 32 + 7, 2 ** 36 - 1]) {
    let at = 96;
    const file = {
      async read(offset, count) {
        assert.equal(offset, at);
        assert.ok(count > 0 && count <= pieceBytes);
        at += count;
        return piece.subarray(0, count);
      },
    };
    let total = 0;
    for await (const { length: part } of copied(file, { offset: 96, length })) total += part;
    assert.deepEqual([total, at], [length, 96 + length]);
  }
});

test('prepack, quantize: a kept tensor of several pieces is the same afterwards, and is not counted as held', () => {
  const words = new Uint32Array((2 * pieceBytes) / 4 + 96).map((_, i) => Math.imul(i, 2654435761));
  const bytes = new Uint8Array(words.buffer);
  const tensors = [
    { name: 'q', ne: [32, 2], ggmlType: 2, bytes: new Uint8Array(36) },
    { name: 'i', ne: [words.length], ggmlType: 26, bytes },
  ];
  writeFileSync(join(folder, 'in.gguf'), ggufFile({}, tensors));
  const made = packedWeights('prepack', 'in.gguf', '-o', 'out');
  assert.equal(made.status, 0, made.stderr);
  const disk = bytes.length + 36;
  assert.ok(
    made.stdout.startsWith(`out: needs ${disk} bytes on disk and ${pieceBytes} in memory;`),
  );
  const manifest = JSON.parse(readFileSync(join(folder, 'out/manifest.json'), 'utf8'));
  const { file, sha256 } = manifest.tensors[1];
  assert.ok(readFileSync(join(folder, 'out', file)).equals(bytes));
  assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
  const { status } = packedWeights('quantize', 'in.gguf', '--to', 'Q8_0', '-o', 'out.gguf');
  assert.equal(status, 0);
  // The last tensor, whose bytes need no padding.
  const written = readFileSync(join(folder, 'out.gguf'));
  assert.ok(written.subarray(-bytes.length).equals(bytes));
});
