import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, PackedError } from 'packed-weights';
import { emptied, publicCalls } from '../support/public-calls.js';

const pw = await load();

/** What was transferred to a worker. */
function detached(array) {
  structuredClone(array, { transfer: [array.buffer] });
  return array;
}

/** What anybody could pass by mistake. */
const hostile = {
  undefined, null: null, true: true, 0: 0, '-1': -1, 1.5: 1.5, NaN, Infinity, '2^53': 2 ** 53, '7n': 7n,
  "''": '', "'x'": 'x', symbol: Symbol('s'), function: () => 1, '{}': {}, '{}*': Object.create(null),
  proxy: new Proxy({}, {}), '[]': [], '[null]': [null], '[1.5,-1]': [1.5, -1], bytes: new Uint8Array(3),
  floats: new Float32Array(1), date: new Date(0), promise: Promise.resolve(1), pw, map: new Map(),
  'detached bytes': detached(new Uint8Array(216)), 'detached floats': detached(new Float32Array(96)),
}; // prettier-ignore

const objects = '{} {}* proxy';
const numbers = '0 -1 1.5 NaN Infinity 2^53';
const values = `true ${numbers} 7n '' 'x' [] [1.5,-1]`;

/** What parts of these names take wherever they stand, beside undefined. */
const usual = {
  'sink onProgress onMetadata nextData close': 'null function',
  'scope signal into importance ne shape': 'null',
  'wasm weightForm': `null ${objects}`,
  'tools tensorData allowEmpty prepackWeights kernelOrder': 'true',
  metadata: `${objects} [] map`,
  tensors: '[]',
  'dotCeiling streamRead copy ceiling share gbps': '0 1.5 2^53',
  'gops goal': 'null 0 1.5 2^53',
};

/** What means what it says besides. Whatever is not listed is refused; optional arguments may be empty objects. */
const meant = {
  'scope 0.name': "'' 'x'",
  'scope 0.limit': '0',
  'trace 0.capacity': '0',
  'session 0.cacheBytes': '0',
  'trace.record 0.kind': "'' 'x'",
  'writeInto 1': '0',
  'writeInto 2': 'bytes',
  'validate 0': 'bytes',
  'openGguf of a source 0.name': "null '' 'x'",
  'writeGguf 0': objects,
  'streamGguf 0': objects,
  'splitGguf 0': objects,
  'splitGguf 1.prefix': "'' 'x'",
  'splitGguf 1.maxBytes': '0',
  'writeGguf of a tensor 0.name': "'x'",
  'writeGguf of a value 0': values,
  'writeGguf of a value 0.value': '0 7n []',
  'writeGguf of pairs 0': "'x'",
  'writeGguf of pairs 1': values,
  'writeGguf of pairs 1.value': `${numbers} [] [1.5,-1]`,
  'requireOutIn 0': '0',
  'requireOutIn 1': '0',
  'disagreement 0': 'bytes',
  'diagnose 0': 'bytes',
  'ternary weight.get 0': '0',
  'ternary weight.get 1': '0',
  'ternary weight.narrow 0': '0',
  'ternary weight.narrow 1': '0',
  'view.get 0': '0',
  'view.get 1': '0',
  'view.row 0': '0',
  'view.narrow 0': '0',
  'view.narrow 1': '0',
  'view.narrow 2': '0',
  'view.everyNth 0': '0',
  'view.slice 0': '0',
  'file.read 0': '0',
  'file.read 1': '0',
  'MetadataArray.at 0': '0 -1 2^53',
  'calibrate 0': 'pw',
  'calibrate 1.milliseconds': '0 1.5',
  'runBench 0': 'pw',
  'runBench 1.milliseconds': '0 1.5',
  'runBench 1.matmuls': '[]',
  'runBench 1.settling': '0 1.5',
  'documentOf 1': '[]',
  'markdownOf 1': '[]',
  'markdownOf a row 0.encoding': "'' 'x'",
  'markdownOf a row 0.order': 'null',
  'markdownOf a row 0.activation': 'null',
  'markdownOf a row 0.isa': "'' 'x'",
  'markdownOf a row 0.n': 'null',
  'markdownOf a row 0.milliseconds': '0 1.5 2^53',
  'measured 0.order': 'null',
  'measured 0.activation': 'null',
  'measured 0.n': 'null',
};

/** @param {string} where function and part @param {boolean} optional whether it may be left out */
function mayBe(where, optional) {
  const part = where.split('.').pop();
  const [, known] = Object.entries(usual).find(([names]) => names.split(' ').includes(part)) ?? [];
  const words = meant[where] ?? known ?? (optional && /\d$/.test(where) ? `null ${objects}` : '');
  return words.split(' ');
}

/** Every way in which one argument, or one named part of it, is wrong, or the rest is missing. */
function* mistakes(args) {
  for (let i = 0; i < args().length; i++) {
    yield [`${i}`, 'undefined', args().slice(0, i)];
    for (const [word, value] of Object.entries(hostile)) {
      yield [`${i}`, word, args().with(i, value)];
      for (const key of plainKeys(args()[i])) {
        yield [`${i}.${key}`, word, args().with(i, { ...args()[i], [key]: value })];
      }
    }
  }
}

const plainKeys = (value) =>
  value && Object.getPrototypeOf(value) === Object.prototype ? Object.keys(value) : [];

/** Null for a call that works; what is thrown otherwise, which may leave nothing in a scope that was passed. */
async function refusal(call, given) {
  try {
    await call(...given);
    emptied();
    return null;
  } catch (error) {
    const left = emptied();
    assert.ok(error instanceof PackedError, `${error.stack}`);
    assert.equal(left, 0, `bytes left in the scope by what was refused: ${error.message}`);
    return error;
  }
}

for (const [name, [call, args]] of Object.entries(publicCalls)) {
  test(`hostile arguments: ${name} takes what is meant and refuses the rest with a PackedError`, async () => {
    assert.equal(await refusal(call, args()), null);
    const taken = {};
    for (const [where, word, given] of mistakes(args)) {
      const error = await refusal(call, given);
      if (error === null) (taken[`${name} ${where}`] ??= []).push(word);
    }
    for (const [where, words] of Object.entries(taken)) {
      const expected = mayBe(where, words.includes('undefined'));
      const odd = words.filter((word) => word !== 'undefined' && !expected.includes(word));
      assert.deepEqual(odd, [], where);
    }
    for (const where of Object.keys(meant).filter((each) => each.replace(/ \d\S*$/, '') === name)) {
      for (const word of meant[where].split(' ')) assert.ok(taken[where]?.includes(word), where);
    }
  });
}

/** These take a thing that says more of itself than is asked, as a tensor of a file does, or a row of a bench. */
const things =
  /^(pack|emptyView|writeGguf of .*|markdownOf a row|measured|speedOf|verdictOf|ternary.weight|ternary.importI2S|trace.record)$/;

for (const [name, [call, args]] of Object.entries(publicCalls)) {
  if (things.test(name)) continue;
  const places = args().flatMap((arg, i) => plainKeys(arg).map((key) => [i, key]));
  if (places.length === 0) continue;
  test(`hostile arguments: options of ${name} that are misspelt are refused by name`, async () => {
    for (const [i, key] of places) {
      for (const misspelt of new Set([
        key.toLowerCase(),
        `${key}s`,
        key.toUpperCase(),
        '__proto__',
      ])) {
        const { [key]: value, ...rest } = args()[i];
        if (misspelt === key) continue;
        const options = Object.defineProperty(rest, misspelt, { value, enumerable: true });
        const error = await refusal(call, args().with(i, options));
        assert.equal(error?.code, 'INVALID_ARGUMENT', `${misspelt}`);
        assert.match(error.message, new RegExp(`cannot have '${misspelt}', only .*\\b${key}\\b`));
      }
    }
  });
}
