/**
 * Targets that break HTTP in every way known from tests from outside, as a table: the response, and the exact outcome. A run never
 * outlives its timeout, and no response makes the executor end.
 */

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { sendRequest, type TriggerResult } from '../../../src/executor/trigger/send-request.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import { eventually } from '../../eventually.ts';
import { startRawTarget } from '../../targets/raw-target.ts';
import { findFailureCode } from '../failure-code.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const notHttp = 'EXECUTOR_TARGET_NOT_HTTP';
const closed = 'EXECUTOR_TARGET_CLOSED';
const brokenOff = 'EXECUTOR_BODY_BROKEN_OFF';
const headersTimeout = 'EXECUTOR_TIMEOUT_HEADERS';
const bodyTimeout = 'EXECUTOR_TIMEOUT_BODY';
const headTooLarge = 'EXECUTOR_TARGET_HEAD_TOO_LARGE';
const tooLarge = 'EXECUTOR_RESPONSE_TOO_LARGE';

/** What the target writes before it ends the connection; a status when the response is accepted, else the code of the failure. */
type Row = readonly [name: string, response: string | Buffer, outcome: number | string];

const ended: readonly Row[] = [
  ['nothing', '', closed],
  ['one byte', 'H', closed],
  ['half a status line', 'HTTP/1.1 2', closed],
  ['a status line only', ok, closed],
  ['half a header line', `${ok}X-A`, closed],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', notHttp],
  ['a greeting of SMTP', '220 mail ESMTP\r\n', notHttp],
  ['a greeting of Redis', '-ERR unknown command\r\n', notHttp],
  ['zeros', Buffer.alloc(64), notHttp],
  ['all bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), notHttp],
  ['HTML without a head', '<html></html>\r\n\r\n', notHttp],
  ['line feeds', '\n'.repeat(1000), closed],
  ['HTTP/0.9', 'hello\r\n', notHttp],
  ['HTTP/9.9', 'HTTP/9.9 200 OK\r\n\r\n', notHttp],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', notHttp],
  ['a TLS alert', Buffer.from([0x15, 3, 3, 0, 2, 2, 0x46]), 'EXECUTOR_TLS_EXPECTED'],
  ['status 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', notHttp],
  ['status 20', 'HTTP/1.1 20 OK\r\n\r\n', notHttp],
  ['status 2000', 'HTTP/1.1 2000 OK\r\n\r\n', notHttp],
  ['a status in letters', 'HTTP/1.1 abc OK\r\n\r\n', notHttp],
  ['a negative status', 'HTTP/1.1 -20 OK\r\n\r\n', notHttp],
  ['status 599', 'HTTP/1.1 599 Odd\r\nContent-Length: 0\r\n\r\n', 599],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', 200],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nbody', 200],
  ['101', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', notHttp],
  ['100 and nothing else', 'HTTP/1.1 100 Continue\r\n\r\n', closed],
  ['100, then the response', `HTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 0\r\n\r\n`, 200],
  ['102 and 103, then the response', `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\n\r\n${ok}Content-Length: 0\r\n\r\n`, 200],
  ['a flood of 100', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500), notHttp],
  ['a flood of 103', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(500), notHttp],
  ['two lengths that differ', `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, notHttp],
  ['a negative length', `${ok}Content-Length: -1\r\n\r\n`, notHttp],
  ['a length in letters', `${ok}Content-Length: abc\r\n\r\n`, notHttp],
  ['a length beyond 2^64', `${ok}Content-Length: 99999999999999999999999\r\n\r\n`, notHttp],
  ['a length and chunks', `${ok}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, notHttp],
  ['a body longer than its length', `${ok}Content-Length: 2\r\nConnection: close\r\n\r\n{}more`, 200],
  ['a body shorter than its length', `${ok}Content-Length: 9\r\n\r\nhalf`, brokenOff],
  ['a length of 100 MB', `${ok}Content-Length: 104857600\r\n\r\n`, tooLarge],
  ['a chunk size in letters', `${chunked}zz\r\nhello\r\n`, notHttp],
  ['a negative chunk size', `${chunked}-5\r\nhello\r\n`, notHttp],
  ['a chunk size beyond 2^64', `${chunked}FFFFFFFFFFFFFFFFFF\r\nhello\r\n`, notHttp],
  ['a chunk longer than its size', `${chunked}2\r\nhello\r\n0\r\n\r\n`, notHttp],
  ['half a chunk', `${chunked}5\r\nhel`, brokenOff],
  ['chunks without an end', `${chunked}5\r\nhello\r\n`, brokenOff],
  ['a space in a header name', `${ok}Bad Name: x\r\n\r\n`, notHttp],
  ['a NUL in a header', `${ok}X-A: a\0b\r\n\r\n`, notHttp],
  ['a header without a colon', `${ok}nonsense\r\n\r\n`, notHttp],
  ['a header of 100 KB', `${ok}X-Huge: ${'x'.repeat(100_000)}\r\n\r\n`, headTooLarge],
  ['10,000 headers', `${ok}${'X-Flood: 0123456789\r\n'.repeat(10_000)}\r\n`, headTooLarge],
  ['a redirect to itself', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n', 302],
  ['a body with 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 204],
  ['a body that is not its encoding', `${ok}Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello`, 200],
  ['cookies by the thousand', `${ok}${'Set-Cookie: a=b\r\n'.repeat(2000)}Content-Length: 0\r\n\r\n`, 200],
];

/** What the target writes and then stays silent: the timeout ends the run. */
const silent: readonly Row[] = [
  ['nothing', '', headersTimeout],
  ['half a status line', 'HTTP/1.1 2', headersTimeout],
  ['half a head', `${ok}X-A: 1\r\n`, headersTimeout],
  ['100 and then nothing', 'HTTP/1.1 100 Continue\r\n\r\n', headersTimeout],
  ['a head and no body', `${ok}Content-Length: 5\r\n\r\n`, bodyTimeout],
  ['half a body', `${ok}Content-Length: 5\r\n\r\nhe`, bodyTimeout],
  ['half a chunk size', `${chunked}5`, bodyTimeout],
  ['a chunk and no end', `${chunked}5\r\nhello\r\n`, bodyTimeout],
  ['a body until the end of the connection', `${ok}\r\nhello`, bodyTimeout],
];

/** `expire` makes the run's timeout pass once everything written so far has been read, however loaded the machine is. */
type HostileTarget = (socket: Socket, expire: () => void) => void;

async function send(behaviour: HostileTarget): Promise<TriggerResult> {
  let timeOut = (): void => {};
  const expireAfter = (turns: number): void => {
    if (turns === 0) timeOut();
    else setTimeout(() => expireAfter(turns - 1), 5);
  };
  const target = await startRawTarget((socket) => socket.once('data', () => behaviour(socket, () => expireAfter(10))));
  const after = (_delayMs: number, action: () => void): (() => void) => {
    timeOut = action;
    return () => {};
  };
  const dispatcher = createTargetDispatcher();
  const request = { origin: target.origin, method: 'GET', path: '/', headers: [], body: undefined };
  const startMonotonicMs = systemClock.monotonicMs();
  const clock = { ...systemClock, after };
  const options = { dispatcher, clock, startMonotonicMs, timeoutMs: 5000, baseUrlSource: 'config' } as const;
  const result = await sendRequest(request, options);
  dispatcher.close();
  await target.close();
  return result;
}

const readOutcome = ({ failure, head }: TriggerResult): unknown => (failure ? findFailureCode(failure) : head?.status);

for (const [name, response, outcome] of ended)
  t.test(`then it closes the connection: ${name}`, async (t) => {
    const result = await send((socket) => socket.end(response));
    t.equal(readOutcome(result), outcome, result.failure?.message ?? '');
  });

for (const [name, response, outcome] of silent)
  t.test(`then it keeps silent: ${name}`, async (t) => {
    const result = await send((socket, expire) => socket.write(response, expire));
    t.equal(readOutcome(result), outcome, result.failure?.message ?? '');
  });

t.test('bytes without end are cut off, or end with the timeout', async (t) => {
  const endless =
    (start: string, piece: string | Buffer, maxPieces = Number.POSITIVE_INFINITY): HostileTarget =>
    (socket, expire) => {
      let pieces = 0;
      const more = (): void => {
        pieces += 1;
        if (pieces > maxPieces) expire();
        else if (!socket.destroyed) socket.write(piece, more);
      };
      socket.write(start, more);
    };
  const block = Buffer.alloc(65_536, 'x');
  const part = Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')]);
  t.equal(readOutcome(await send(endless(chunked, part))), tooLarge);
  t.equal(readOutcome(await send(endless(`${ok}\r\n`, block))), tooLarge);
  t.equal(readOutcome(await send(endless(ok, 'X-A: b\r\n'.repeat(100)))), headTooLarge);
  t.equal(readOutcome(await send(endless(`${ok}X-A: `, block))), headTooLarge);
  t.equal(readOutcome(await send(endless(ok, 'X', 10))), headersTimeout);
  t.equal(readOutcome(await send(endless(chunked, '1\r\na\r\n', 10))), bodyTimeout);
  const zeros = gzipSync(Buffer.alloc(100_000));
  const encoded = `${ok}Content-Encoding: gzip\r\nContent-Length: ${zeros.length}\r\n\r\n`;
  t.equal(readOutcome(await send((socket) => socket.end(Buffer.concat([Buffer.from(encoded), zeros])))), 200);
});

t.test('a name that nobody resolves ends the run at its timeout, and is given up then', async (t) => {
  const signals: AbortSignal[] = [];
  // The clock's timers alone do not keep a process running; queries do.
  const running = setInterval(() => {}, 1000);
  const resolve = (_name: string, signal: AbortSignal): Promise<never> => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const dispatcher = createTargetDispatcher({ resolver: { resolve } });
  const request = { origin: 'http://silent.example', method: 'GET', path: '/', headers: [], body: undefined };
  const startMonotonicMs = systemClock.monotonicMs();
  const options = {
    dispatcher,
    clock: systemClock,
    startMonotonicMs,
    timeoutMs: 200,
    baseUrlSource: 'config',
  } as const;
  const { failure } = await sendRequest(request, options);
  clearInterval(running);
  t.equal(findFailureCode(failure), 'EXECUTOR_TIMEOUT_CONNECT');
  await eventually(() => signals, {
    until: ([signal]) => signal?.aborted === true,
    description: 'the query is given up',
  });
  t.equal(signals.length, 1);
  dispatcher.close();
});
