// Servers of a file by Range requests, honest and odd: what openUrl may meet, in Node and in browsers.
import { createServer } from 'node:http';
import { ggufFile } from './gguf-writer.js';
import { PseudoRandom } from './pseudo-random.js';
import { closed, freshPort } from './server.js';

/** To any page: which headers it may send and read. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'range',
  'access-control-expose-headers': 'content-range, etag',
};

/**
 * A server of `bytes` that answers as `answer` says.
 * @param {Uint8Array} bytes
 * @param {(request: { url: string, response: import('node:http').ServerResponse, part: Uint8Array, range: string, count: number }) => void} answer
 *   `part` is what was asked for, `range` its Content-Range, `count` the number of the request
 */
export async function serveBytes(bytes, answer) {
  /** @type {(string | undefined)[]} */
  const requests = [];
  const server = createServer((request, response) => {
    Object.entries(cors).forEach((header) => response.setHeader(...header));
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const count = requests.push(request.headers.range);
    const part = bytes.subarray(Number(from), Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
    answer({ url: request.url ?? '', response, part, range, count });
  });
  const url = `http://127.0.0.1:${await freshPort(server)}/m.gguf`;
  return { url, requests, close: () => closed(server) };
}

/** @type {Parameters<typeof serveBytes>[1]} */
export const honest = ({ response, part, range }) =>
  response.writeHead(206, { 'content-range': range, etag: '"1"' }).end(part);

/**
 * Sends half of it and hangs up.
 * @param {import('node:http').ServerResponse} response
 * @param {Uint8Array} part
 */
const half = (response, part) =>
  response.write(part.subarray(0, part.length >> 1), () => response.destroy());

/** How an answer is cut: whether it says its length, and how much of it has been sent by then. */
export const cuts = {
  'a part without its length is cut before its first byte': { stated: false, share: 0 },
  'a part without its length is cut in the middle': { stated: false, share: 1 / 3 },
  'a part without its length is cut behind its last byte': { stated: false, share: 1 },
  'a part with its length is cut before its first byte': { stated: true, share: 0 },
  'a part with its length is cut in the middle': { stated: true, share: 1 / 3 },
};

/**
 * Cuts each part of more than the two bytes that are asked for at first so many times, wherever it is asked for from, and answers it then; all without
 * their lengths, or with.
 * @param {{ stated: boolean, share: number }} how
 * @param {number} times
 * @returns {Parameters<typeof serveBytes>[1]}
 */
export function cutting({ stated, share }, times) {
  /** @type {Map<string, number>} */
  const done = new Map();
  return ({ response, part, range }) => {
    const end = range.split('-')[1];
    const before = done.get(end) ?? 0;
    done.set(end, before + 1);
    const length = stated ? { 'content-length': part.length } : {};
    response.writeHead(206, { 'content-range': range, etag: '"1"', ...length });
    if (before >= times || part.length <= 2) return response.end(part);
    const sent = part.subarray(0, Math.floor(part.length * share));
    response.flushHeaders();
    response.write(sent, () => response.destroy());
  };
}

/** A model whose parts come in many pieces. */
export function longModel() {
  const bytes = new PseudoRandom(17).bytes(700_001 * 4);
  const tensor = { name: 'long.weight', ne: [700_001], ggmlType: 0, bytes };
  return ggufFile({ 'general.architecture': 'test' }, [tensor]);
}

/**
 * What servers do that is not to be: the answer, and what the error says of it.
 * @param {Uint8Array} bytes
 * @returns {Record<string, [Parameters<typeof serveBytes>[1], RegExp]>}
 */
export function oddServers(bytes) {
  /** What is done to all requests, or to those after the first. */
  const later = (/** @type {Parameters<typeof serveBytes>[1]} */ answer) => (given) =>
    given.count > 1 ? answer(given) : honest(given);
  const partly = ({ response, part, range }) => {
    const headers = { 'content-range': range, etag: '"1"', 'content-length': part.length };
    response.writeHead(206, headers);
    half(response, part);
  };
  const withRange =
    (change) =>
    ({ response, part, range }) =>
      response.writeHead(206, { 'content-range': change(range, part), etag: '"1"' }).end(part);
  const withStatus =
    (status, headers = {}) =>
    ({ response }) =>
      response.writeHead(status, headers).end();
  const other = /sent something else than bytes 0 to \d+ of \d+ .*open it again if .*download/;
  return {
    'breaks off in the middle of all of the file': [
      ({ response }) => {
        response.writeHead(200, { 'content-length': bytes.length });
        half(response, bytes);
      },
      /broke off before all of the file had come \(.+\): try again/,
    ],
    'breaks off in the middle of a file of unknown length': [
      ({ response }) => half(response.writeHead(200), bytes),
      /broke off before all of the file had come \(.+\): try again/,
    ],
    'breaks off before the first part': [partly, /broke off within bytes 0 to 1 \(.+\): try/],
    'breaks off in the middle of a part': [
      later(partly),
      /broke off within bytes 0 to \d+ \(.+\): try again/,
    ],
    'sends what cannot be decompressed': [
      later(({ response, part, range }) =>
        response
          .writeHead(206, { 'content-range': range, etag: '"1"', 'content-encoding': 'gzip' })
          .end(part),
      ),
      /broke off within bytes 0 to \d+ \(.+\)|cannot be fetched \(.+\)/,
    ],
    'gives fewer bytes than asked for': [
      later(({ response, part, range }) => honest({ response, range, part: part.subarray(1) })),
      /gave \d+ bytes where/,
    ],
    'gives more bytes than asked for': [
      ({ response, range }) => honest({ response, range, part: bytes }),
      /sent more than the 2 bytes at 0 that were asked for: .*download the file/,
    ],
    'gives other bytes than asked for': [
      later(withRange((_, part) => `bytes 9-${8 + part.length}/${bytes.length}`)),
      other,
    ],
    'gives other bytes at first': [withRange(() => `bytes 9-9/${bytes.length}`), other],
    'gives a part of a file of another length': [
      later(withRange((range) => range.replace(/\d+$/, '9999'))),
      other,
    ],
    'gives all of the file where it gave parts': [
      later(({ response }) => response.writeHead(200).end(bytes)),
      other,
    ],
    'says later that there is no such part': [later(withStatus(416)), other],
    'says that there is no such part of a file that has it': [
      withStatus(416, { 'content-range': `bytes */${bytes.length}` }),
      other,
    ],
    'does not say how long the file is': [withRange(() => 'bytes 0-0/*'), /how long it is/],
    'says nothing of the part that it gives': [withStatus(206), /how long it is/],
    'has no content': [withStatus(204), /how long it is \(status 204/],
    'changes the file meanwhile': [
      ({ response, part, range, count }) =>
        response.writeHead(206, { 'content-range': range, etag: `"${count}"` }).end(part),
      /changed while it was read: open it again/,
    ],
    'answers 404': [withStatus(404), /answered 404.*: check the address/],
    'wants a login': [withStatus(401), /answered 401.*: .* download it with your login/],
    'refuses who asks': [later(withStatus(403)), /answered 403.*: .* download it with your login/],
    'answers 503 later': [later(withStatus(503)), /answered 503.*: try again later/],
    'redirects to what is not there': [
      ({ url, response }) =>
        url === '/m.gguf'
          ? response.writeHead(302, { location: '/gone' }).end()
          : response.writeHead(410).end('gone'),
      /answered 410.*: check the address/,
    ],
    'redirects to itself': [
      withStatus(302, { location: '/m.gguf' }),
      /cannot be fetched \(.+\): is the address right/,
    ],
    'hangs up': [({ response }) => response.destroy(), /cannot be fetched \(.+\): is the address/],
  };
}
