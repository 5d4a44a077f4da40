/** Targets that break the framing of a body, or send a body that is not what it says. */
import { gzipSync } from 'node:zlib';
import { chunked, closes, type HostileTarget, ok, outcomes } from './behaviour.ts';
import { compressZeros } from './compressed-zeros.ts';

const { notHttp, brokenOff, tooLarge } = outcomes;

const lengths: readonly HostileTarget[] = [
  closes('two lengths that differ', `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, notHttp),
  closes('two lengths in one header', `${ok}Content-Length: 2, 2\r\n\r\n{}`, notHttp),
  closes('a negative length', `${ok}Content-Length: -1\r\n\r\n`, notHttp),
  closes('a length with a plus sign', `${ok}Content-Length: +2\r\n\r\n{}`, notHttp),
  closes('a length in hexadecimal', `${ok}Content-Length: 0x2\r\n\r\n{}`, notHttp),
  closes('a length in letters', `${ok}Content-Length: abc\r\n\r\n`, notHttp),
  closes('an empty length', `${ok}Content-Length:\r\n\r\n`, notHttp),
  closes('a length beyond 2^64', `${ok}Content-Length: 99999999999999999999999\r\n\r\n`, notHttp),
  closes('a length of 100 MB', `${ok}Content-Length: 104857600\r\n\r\n`, tooLarge),
  closes('a length and chunks', `${ok}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, notHttp),
  closes('chunks and a length', `${ok}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`, notHttp),
  closes('a body longer than its length', `${ok}Content-Length: 2\r\nConnection: close\r\n\r\n{}more`, 200),
  closes('a body shorter than its length', `${ok}Content-Length: 9\r\n\r\nhalf`, brokenOff),
  closes('a second response', `${ok}Content-Length: 2\r\n\r\n{}${ok}Content-Length: 2\r\n\r\n[]`, 200),
  closes('a body with 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 204),
  closes('a body with 304', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello', 304),
];

const chunks: readonly HostileTarget[] = [
  closes('a chunk size in letters', `${chunked}zz\r\nhello\r\n`, notHttp),
  closes('an empty chunk size', `${chunked}\r\nhello\r\n0\r\n\r\n`, notHttp),
  closes('a chunk size with a prefix', `${chunked}0x5\r\nhello\r\n0\r\n\r\n`, notHttp),
  closes('a negative chunk size', `${chunked}-5\r\nhello\r\n`, notHttp),
  closes('a chunk size beyond 2^64', `${chunked}FFFFFFFFFFFFFFFFFF\r\nhello\r\n`, notHttp),
  closes('a chunk longer than its size', `${chunked}2\r\nhello\r\n0\r\n\r\n`, notHttp),
  closes('half a chunk', `${chunked}5\r\nhel`, brokenOff),
  closes('chunks without an end', `${chunked}5\r\nhello\r\n`, brokenOff),
  closes('half of a trailer', `${chunked}2\r\n{}\r\n0\r\nX-A: b`, brokenOff),
  closes('a trailer without a colon', `${chunked}2\r\n{}\r\n0\r\nnonsense\r\n\r\n`, notHttp),
  closes('a trailer', `${chunked}2\r\n{}\r\n0\r\nX-A: b\r\n\r\n`, 200),
  closes('a chunk extension', `${chunked}2;a="b;c"\r\n{}\r\n0\r\n\r\n`, 200),
  closes('a chunk of 1 TB', `${chunked}FFFFFFFFFF\r\nhello`, brokenOff),
  closes('a transfer coding nobody knows', `${ok}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, notHttp),
  closes('chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', 200),
];

const halfOfGzip = gzipSync(Buffer.alloc(1000, '{}')).subarray(0, 20);

function encoded(encoding: string, body: Buffer | string): Buffer {
  const head = `${ok}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** Accepted as responses; the checks look at the body afterwards. */
const contents: readonly HostileTarget[] = [
  closes('a body that is not gzip', encoded('gzip', 'hello'), 200),
  closes('a body that is not Brotli', encoded('br', 'hello'), 200),
  closes('half of a gzip body', encoded('gzip', halfOfGzip), 200),
  closes('100 MB of zeros as gzip', () => encoded('gzip', compressZeros()), 200),
  closes('50 encodings', () => encoded(Array(50).fill('gzip').join(', '), compressZeros()), 200),
  closes('an encoding nobody knows', encoded('zip', 'hello'), 200),
  closes('JSON 200,000 levels deep', encoded('identity', '['.repeat(200_000)), 200),
  closes('JSON of 3 million objects', encoded('identity', `[${'{},'.repeat(3_000_000)}{}]`), 200),
  closes('JSON with a number of 1 MB', encoded('identity', `{"count":${'9'.repeat(1_000_000)}}`), 200),
  closes(
    'JSON with 200,000 names',
    encoded('identity', `{${Array.from({ length: 200_000 }, (_, index) => `"${index}":0`)}}`),
    200,
  ),
  closes('JSON that sets a prototype', encoded('identity', '{"__proto__":{"count":3}}'), 200),
  closes('bytes that are not UTF-8', encoded('identity', Buffer.from([0x22, 0xff, 0xfe, 0x22])), 200),
];

export const hostileBodies: readonly HostileTarget[] = [...lengths, ...chunks, ...contents];
