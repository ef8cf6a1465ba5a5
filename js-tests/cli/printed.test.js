// What a verb prints is text: no name that it is given reaches a terminal as anything else.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PackedError } from 'packed-weights';
import { complaintOf } from '../../bindings/cli/complaint.js';
import { commandIn } from '../support/command-line.js';
import { smallModel } from '../support/gguf-files.js';

const folder = mkdtempSync(join(tmpdir(), 'packed-printed-'));
after(() => rmSync(folder, { recursive: true }));
const packedWeights = commandIn(folder);

const odd = 'a\u001b[31m\u0007\u009b\r\u007fb';
// Quoted or not.
const shown = /a\\(x|u00)1b\[31m\\(x|u00)07\\x9b\\(x0d|r)\\x7fb/;
writeFileSync(join(folder, odd), smallModel());
writeFileSync(join(folder, 'in.gguf'), smallModel());
const blocks = ['--encoding', 'Q4_0', '--order', 'kernel', '--fixture'];

test('names on the command line are printed without their control characters, wherever they stand', () => {
  for (const words of [
    ['inspect', odd],
    ['inspect', `${odd}.none`],
    ['check', odd],
    ['check', `${odd}.none`],
    ['compare', odd, ...blocks],
    ['compare', `${odd}.none`, ...blocks],
    ['fixtures', odd, '-o', 'x'],
    ['fixtures', 'Q4_0', '-o', `${odd}.bin`],
    ['quantize', 'in.gguf', '--to', 'F16', '-o', `${odd}.out`],
    ['quantize', 'in.gguf', '--to', 'F16', '-o', `${odd}/x`],
    ['quantize', 'in.gguf', '--to', odd, '-o', 'x'],
    ['quantize', 'in.gguf', '--to', 'F16', '--only', odd, '-o', 'x'],
    ['prepack', 'in.gguf', '-o', `${odd}.folder`],
    ['prepack', `${odd}.none`, '-o', 'x'],
    ['view', `${odd}.none`, '--no-open'],
    [odd],
    ['help', odd],
    ['inspect', `--${odd}`],
  ]) {
    const { stdout, stderr } = packedWeights(...words);
    const printed = stdout + stderr;
    assert.doesNotMatch(printed, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/, words.join(' '));
    assert.match(printed, shown, words.join(' '));
  }
});

test('OUT_OF_MEMORY advises what who waits can do; it is also what engines say without a code', () => {
  for (const [thrown, what] of [
    [new PackedError('OUT_OF_MEMORY', 'No memory for 8 bytes of y: dispose of views'), /8 bytes/],
    [new PackedError('OUT_OF_MEMORY', 'no memory for 8 bytes; free some, or relay'), /8 bytes/],
    [new PackedError('OUT_OF_MEMORY', 'no memory for 8 bytes in s; close what is'), /in s/],
    [new RangeError('Array buffer allocation failed'), /allocation/],
    [new RangeError('Invalid typed array length: 5000000000'), /5000000000/],
  ]) {
    const line = complaintOf(thrown);
    assert.match(line, /^OUT_OF_MEMORY: .*: end other programs, or use a machine with more memory/);
    assert.match(line, what);
    assert.doesNotMatch(line, /dispose|free|close/);
  }
  assert.equal(complaintOf(new TypeError('x is not a function')), null);
  assert.equal(complaintOf(new RangeError('Invalid count value: -1')), null);
});
