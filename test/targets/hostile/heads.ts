/** Targets that break the head of a response, or send something else in its place. */
import { gzipSync } from 'node:zlib';
import { closes, empty, type HostileTarget, ok, outcomes } from './behaviour.ts';

const { notHttp, closed, headTooLarge, tlsExpected } = outcomes;

const otherProtocols: readonly HostileTarget[] = [
  closes('a greeting of SSH', 'SSH-2.0-OpenSSH_9.6\r\n', notHttp),
  closes('a greeting of SMTP', '220 mail ESMTP\r\n', notHttp),
  closes('a greeting of IMAP', '* OK IMAP4rev1 ready\r\n', notHttp),
  closes('an error of Redis', '-ERR unknown command\r\n', notHttp),
  closes('an error of memcached', 'ERROR\r\n', notHttp),
  closes('an error of PostgreSQL', Buffer.from('E\0\0\0\x0bSFATAL\0\0', 'latin1'), notHttp),
  closes('a greeting of MySQL', Buffer.from('\x4a\0\0\0\x0a8.0.36\0', 'latin1'), notHttp),
  closes('a header of AMQP', Buffer.from('AMQP\0\0\x09\x01', 'latin1'), notHttp),
  closes('a refusal of SOCKS', Buffer.from([5, 0xff]), notHttp),
  closes('a response of RTSP', 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n', notHttp),
  closes('a response of ICE', 'ICE/1.0 200 OK\r\n\r\n', notHttp),
  closes('a response of Shoutcast', 'ICY 200 OK\r\n\r\n', notHttp),
  closes('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', notHttp),
  closes('settings of HTTP/2', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), notHttp),
  closes('a request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', notHttp),
  closes('a TLS alert', Buffer.from([0x15, 3, 3, 0, 2, 2, 0x46]), tlsExpected),
  closes('gzip without a head', gzipSync('{}'), notHttp),
  closes('JSON without a head', '{"count":3}\r\n\r\n', notHttp),
  closes('HTML without a head', '<html></html>\r\n\r\n', notHttp),
  closes('zeros', Buffer.alloc(64), notHttp),
  closes('all bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), notHttp),
  closes('HTTP/0.9', 'hello\r\n', notHttp),
];

const partialHeads: readonly HostileTarget[] = [
  closes('nothing', '', closed),
  closes('one byte', 'H', closed),
  closes('half a status line', 'HTTP/1.1 2', closed),
  closes('a status line only', ok, closed),
  closes('half a header line', `${ok}X-A`, closed),
  closes('line feeds', '\n'.repeat(1000), closed),
];

const statusLines: readonly HostileTarget[] = [
  closes('HTTP/9.9', 'HTTP/9.9 200 OK\r\n\r\n', notHttp),
  closes('HTTP/2.0 in text', 'HTTP/2.0 200 OK\r\n\r\n', notHttp),
  closes('a version in letters', 'HTTP/a.b 200 OK\r\n\r\n', notHttp),
  closes('a name of the protocol in small letters', 'http/1.1 200 OK\r\n\r\n', notHttp),
  closes('a byte order mark', `\ufeff${empty}`, notHttp),
  closes('no space before the status', 'HTTP/1.1200 OK\r\n\r\n', notHttp),
  closes('status 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', notHttp),
  closes('status 000', 'HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n', notHttp),
  closes('status 20', 'HTTP/1.1 20 OK\r\n\r\n', notHttp),
  closes('status 2000', 'HTTP/1.1 2000 OK\r\n\r\n', notHttp),
  closes('a status of 1,000 digits', `HTTP/1.1 ${'2'.repeat(1000)} OK\r\n\r\n`, notHttp),
  closes('a status in letters', 'HTTP/1.1 abc OK\r\n\r\n', notHttp),
  closes('a negative status', 'HTTP/1.1 -20 OK\r\n\r\n', notHttp),
  closes('status 599', 'HTTP/1.1 599 Odd\r\nContent-Length: 0\r\n\r\n', 599),
  closes('status 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n', 999),
  closes('no reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', 200),
  closes('a reason of 100 KB', `HTTP/1.1 200 ${'x'.repeat(100_000)}\r\nContent-Length: 0\r\n\r\n`, 200),
  closes('a reason with a NUL', 'HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n', 200),
  closes('HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nbody', 200),
  closes('a status line that ends with LF', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n', notHttp),
  closes('empty lines, then the response', `\r\n\r\n${empty}`, 200),
];

const headers: readonly HostileTarget[] = [
  closes('a space in a header name', `${ok}Bad Name: x\r\n\r\n`, notHttp),
  closes('a space before the colon', `${ok}X-A : x\r\n\r\n`, notHttp),
  closes('an empty header name', `${ok}: x\r\n\r\n`, notHttp),
  closes('a header name in UTF-8', `${ok}X-Größe: x\r\n\r\n`, notHttp),
  closes('a header without a colon', `${ok}nonsense\r\n\r\n`, notHttp),
  closes('a NUL in a header', `${ok}X-A: a\0b\r\n\r\n`, notHttp),
  closes('a control character in a header', `${ok}X-A: a\u0001b\r\n\r\n`, notHttp),
  closes('a CR in a header', `${ok}X-A: a\rb\r\n\r\n`, notHttp),
  closes('a folded header', `${ok}X-A: a\r\n b\r\nContent-Length: 0\r\n\r\n`, notHttp),
  closes('a header of 100 KB', `${ok}X-Huge: ${'x'.repeat(100_000)}\r\n\r\n`, headTooLarge),
  closes('a header name of 100 KB', `${ok}${'x'.repeat(100_000)}: a\r\n\r\n`, headTooLarge),
  closes('10,000 headers', `${ok}${'X-Flood: 0123456789\r\n'.repeat(10_000)}\r\n`, headTooLarge),
  closes('2,000 cookies', `${ok}${'Set-Cookie: a=b\r\n'.repeat(2000)}Content-Length: 0\r\n\r\n`, 200),
  closes('a redirect to itself', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n', 302),
  closes('a redirect to a script', 'HTTP/1.1 302 Found\r\nLocation: javascript:a\r\nContent-Length: 0\r\n\r\n', 302),
  closes('101', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', notHttp),
];

const hundred = 'HTTP/1.1 100 Continue\r\n\r\n';

const interim: readonly HostileTarget[] = [
  closes('100 and nothing else', hundred, closed),
  closes('100, then the response', `${hundred}${empty}`, 200),
  closes('102 and 103, then the response', `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\n\r\n${empty}`, 200),
  closes('199, then the response', `HTTP/1.1 199 X\r\n\r\n${empty}`, 200),
  closes('half of 103', 'HTTP/1.1 103 E\r\nLink: </a', closed),
  closes('a flood of 100', hundred.repeat(500), notHttp),
  closes('a flood of 103', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(500), notHttp),
  closes('103 with a header of 100 KB', `HTTP/1.1 103 E\r\nLink: ${'x'.repeat(100_000)}\r\n\r\n${empty}`, notHttp),
];

export const hostileHeads: readonly HostileTarget[] = [
  ...otherProtocols,
  ...partialHeads,
  ...statusLines,
  ...headers,
  ...interim,
];
