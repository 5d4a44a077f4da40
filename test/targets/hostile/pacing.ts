/** Targets that keep silent, send slowly or without end, or end the connection in ways of their own. */
import {
  chunked,
  closes,
  drips,
  type HostileTarget,
  ok,
  onAccept,
  outcomes,
  repeats,
  resets,
  stalls,
} from './behaviour.ts';

const { notHttp, closed, brokenOff, headersTimeout, bodyTimeout, headTooLarge, tooLarge } = outcomes;

const hundred = 'HTTP/1.1 100 Continue\r\n\r\n';
const block = Buffer.alloc(65_536, 'x');
const chunkedBlock = Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')]);

const silent: readonly HostileTarget[] = [
  stalls('nothing', '', headersTimeout),
  stalls('half a status line', 'HTTP/1.1 2', headersTimeout),
  stalls('half a head', `${ok}X-A: 1\r\n`, headersTimeout),
  stalls('a head without its last line feed', `${ok}Content-Length: 0\r\n\r`, headersTimeout),
  stalls('100', hundred, headersTimeout),
  stalls('half of 103', 'HTTP/1.1 103 E\r\nLink: </a', headersTimeout),
  stalls('a head and no body', `${ok}Content-Length: 5\r\n\r\n`, bodyTimeout),
  stalls('half a body', `${ok}Content-Length: 5\r\n\r\nhe`, bodyTimeout),
  stalls('half a chunk size', `${chunked}5`, bodyTimeout),
  stalls('half a chunk extension', `${chunked}5;a="`, bodyTimeout),
  stalls('a chunk and no end', `${chunked}5\r\nhello\r\n`, bodyTimeout),
  stalls('half a trailer', `${chunked}2\r\n{}\r\n0\r\nX-A: b\r\n`, bodyTimeout),
  stalls('a body until the end of the connection', `${ok}\r\nhello`, bodyTimeout),
];

const slow: readonly HostileTarget[] = [
  drips('half a head', `${ok}${'X-Slow: a\r\n'.repeat(20)}`, headersTimeout),
  drips('interim responses', hundred.repeat(20), headersTimeout),
  drips('half a body', `${ok}Content-Length: 500\r\n\r\n${'a'.repeat(200)}`, bodyTimeout),
  drips('chunks', `${chunked}${'1\r\na\r\n'.repeat(50)}`, bodyTimeout),
  drips('a whole response', `${ok}Content-Length: 2\r\nConnection: close\r\n\r\n{}`, 200),
  repeats('headers, a few', { start: ok, piece: 'X-A: b\r\n', maxPieces: 50 }, headersTimeout),
  repeats('99 interim responses, one at a time', { piece: hundred, maxPieces: 99 }, headersTimeout),
];

const endless: readonly HostileTarget[] = [
  repeats('chunks without end', { start: chunked, piece: chunkedBlock }, tooLarge),
  repeats('chunks of one byte without end', { start: chunked, piece: '1\r\na\r\n'.repeat(20_000) }, tooLarge),
  repeats('a body without end', { start: `${ok}\r\n`, piece: block }, tooLarge),
  repeats('headers without end', { start: ok, piece: 'X-A: b\r\n'.repeat(100) }, headTooLarge),
  repeats('a header without end', { start: `${ok}X-A: `, piece: block }, headTooLarge),
  repeats('a header name without end', { start: ok, piece: block }, headTooLarge),
  repeats('a long reason', { start: 'HTTP/1.1 200 ', piece: block, maxPieces: 300 }, headersTimeout),
  repeats('interim responses without end', { piece: hundred }, notHttp),
  repeats('hints without end', { piece: `HTTP/1.1 103 E\r\nLink: <${'a'.repeat(2000)}>\r\n\r\n` }, notHttp),
  repeats('a long chunk extension', { start: `${chunked}5;`, piece: block, maxPieces: 300 }, bodyTimeout),
  repeats('a long chunk size', { start: chunked, piece: Buffer.alloc(65_536, '0'), maxPieces: 300 }, bodyTimeout),
  repeats('trailers without end', { start: `${chunked}0\r\n`, piece: 'X-A: b\r\n'.repeat(100) }, headTooLarge),
];

const ends: readonly HostileTarget[] = [
  resets('the request', '', closed),
  resets('half a status line', 'HTTP/1.1 2', closed),
  resets('half a head', `${ok}X-A: b\r\n`, closed),
  resets('half a body', `${ok}Content-Length: 9\r\n\r\nhalf`, brokenOff),
  resets('half a chunk', `${chunked}5\r\nhel`, brokenOff),
  resets('a body without a length', `${ok}\r\n{}`, brokenOff),
  resets('a whole response', `${ok}Content-Length: 2\r\n\r\n{}`, 200),
  closes('a body without a length', `${ok}\r\n{}`, 200),
  onAccept('closes when it is connected', closed, (socket) => socket.end()),
  onAccept('resets when it is connected', closed, (socket) => socket.resetAndDestroy()),
  onAccept('responds before it is asked', 200, (socket) => socket.end(`${ok}Content-Length: 2\r\n\r\n{}`)),
  onAccept('never reads', headersTimeout, (socket, expire) => {
    socket.pause();
    expire();
  }),
];

export const hostilePacing: readonly HostileTarget[] = [...silent, ...slow, ...endless, ...ends];
