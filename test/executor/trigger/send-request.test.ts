import type { Socket } from 'node:net';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import {
  bodyLimitBytes,
  sendRequest,
  type TriggerOptions,
  type TriggerResult,
} from '../../../src/executor/trigger/send-request.ts';
import { createTargetDispatcher, type TargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import type { WireRequest } from '../../../src/outbound/wire.ts';
import { findFreePort } from '../../free-port.ts';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { type Behaviour, respondWith, startRawTarget } from '../../targets/raw-target.ts';
import { findFailureCode } from '../failure-code.ts';

const head = 'HTTP/1.1 200 OK\r\n';

async function sendOnce(
  origin: string,
  overrides: Partial<WireRequest> = {},
  options: Partial<TriggerOptions> = {},
): Promise<TriggerResult> {
  const dispatcher = createTargetDispatcher();
  const request = { origin, method: 'GET', path: '/', headers: [], body: undefined, ...overrides };
  const startMonotonicMs = systemClock.monotonicMs();
  const defaults = {
    dispatcher,
    clock: systemClock,
    startMonotonicMs,
    timeoutMs: 5000,
    baseUrlSource: 'config',
  } as const;
  const result = await sendRequest(request, { ...defaults, ...options });
  dispatcher.close();
  return result;
}

/** These dispatchers carry HTTP only. */
const withoutSockets = { openSocket: () => () => {}, openHttp2Socket: () => () => {} };

/** The same dispatcher, which is used again. */
function keepOpen(dispatcher: TargetDispatcher): TargetDispatcher {
  return { ...withoutSockets, sendOnce: (request, listener) => dispatcher.sendOnce(request, listener), close() {} };
}

/** Sends a request to a target with that behaviour. */
async function sendToRawTarget(
  behaviour: Behaviour,
  overrides: Partial<WireRequest> = {},
  timeoutMs = 5000,
): Promise<TriggerResult> {
  const target = await startRawTarget(behaviour);
  const result = await sendOnce(target.origin, overrides, { timeoutMs });
  await target.close();
  return result;
}

function onRequest(act: (socket: Socket) => void): Behaviour {
  return (socket) => socket.once('data', () => act(socket));
}

t.test('a response is read completely, with status, header lines in order and timings', async (t) => {
  const target = await startHttpTarget(respondWithJson({ count: 3 }));
  const result = await sendOnce(target.origin, { path: '/api/v2/document?page=1' });
  t.equal(result.failure, undefined);
  t.equal(result.head?.status, 200);
  t.strictSame(result.head?.headers[0], ['content-type', 'application/json']);
  t.equal(result.bytes.toString(), '{"count":3}');
  const { connectMs = -1, firstByteMs = -1, bodyMs = -1, totalMs } = result.timings;
  t.ok(connectMs > 0 && connectMs <= firstByteMs && firstByteMs <= bodyMs && bodyMs <= totalMs);
  t.equal(target.arrived[0]?.url, '/api/v2/document?page=1');
  await target.close();
});

t.test('repeated header lines are kept in order', async (t) => {
  const result = await sendToRawTarget(
    respondWith(`${head}Set-Cookie: a=1\r\nX-One: é\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n`),
  );
  t.strictSame(
    result.head?.headers.map(([name, value]) => `${name}=${value}`),
    ['Set-Cookie=a=1', `X-One=${Buffer.from('é').toString('latin1')}`, 'set-cookie=b=2', 'Content-Length=0'],
  );
});

t.test('redirects are not followed', async (t) => {
  const target = await startHttpTarget((_request, response) => response.writeHead(302, { location: '/other' }).end());
  const result = await sendOnce(target.origin);
  t.equal(result.head?.status, 302);
  t.equal(target.arrived.length, 1);
  await target.close();
});

t.test('interim responses are skipped', async (t) => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(3);
  const result = await sendToRawTarget(respondWith(`${early}${head}Content-Length: 2\r\n\r\nok`));
  t.equal(result.head?.status, 200);
  t.equal(result.bytes.toString(), 'ok');
});

t.test('responses without a body end at once: HEAD, 204, 304', async (t) => {
  const long = `${head}Content-Length: 99999999\r\n\r\n`;
  t.equal((await sendToRawTarget(respondWith(long), { method: 'HEAD' })).failure, undefined);
  t.equal((await sendToRawTarget(respondWith('HTTP/1.1 204 No Content\r\n\r\n'))).bytes.length, 0);
  t.equal(
    (await sendToRawTarget(respondWith('HTTP/1.1 304 Not Modified\r\nContent-Length: 99999999\r\n\r\n'))).failure,
    undefined,
  );
});

t.test('a body that ends with the connection is complete', async (t) => {
  const result = await sendToRawTarget(onRequest((socket) => socket.end(`${head}\r\nall of it`)));
  t.equal(result.failure, undefined);
  t.equal(result.bytes.toString(), 'all of it');
});

t.test('a refused connection is reported with host and port', async (t) => {
  const port = await findFreePort();
  const { failure } = await sendOnce(`http://127.0.0.1:${port}`);
  t.equal(failure?.kind, 'target_unreachable');
  t.match(failure?.message, `nothing listens at 127.0.0.1:${port}`);
  t.equal(findFailureCode(failure), 'EXECUTOR_TARGET_REFUSED');
  t.match(failure?.cure, /`targets\.http\.base_url` \(outside containers the published port, inside their network/);
  t.match((await sendOnce(`http://localhost:${port}`)).failure?.message, `nothing listens at localhost:${port}`);
});

t.test('fixes name the source of the address: the config, or --base-url', async (t) => {
  const refusedOrigin = `http://127.0.0.1:${await findFreePort()}`;
  const tls = await startRawTarget((socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40])));
  for (const origin of [refusedOrigin, 'http://app.invalid:3100', tls.origin]) {
    const getCure = async (baseUrlSource: 'config' | 'flag') =>
      (await sendOnce(origin, {}, { baseUrlSource })).failure?.cure ?? '';
    t.match(await getCure('config'), '`targets.http.base_url`', origin);
    const cure = await getCure('flag');
    t.match(cure, '`--base-url`', origin);
    t.notMatch(cure, 'targets.http', origin);
    t.notMatch(cure, 'not the published one', origin);
  }
  await tls.close();
});

t.test('a host name that does not resolve is named', async (t) => {
  const { failure, timings } = await sendOnce('http://app.invalid:3100');
  t.equal(failure?.kind, 'target_unreachable');
  t.match(failure?.message, /the host name app\.invalid does not resolve \((ENOTFOUND|EAI_AGAIN)\)/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TARGET_UNRESOLVED');
  t.equal(timings.connectMs, undefined);
});

t.test('a target that never responds runs into the scenario’s timeout', async (t) => {
  const { failure, timings } = await sendToRawTarget(() => {}, {}, 120);
  t.equal(failure?.kind, 'timeout');
  t.match(failure?.message, /no response came within 0\.12 s \(not one byte\)/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TIMEOUT_HEADERS');
  t.ok(timings.totalMs >= 119);
  t.equal(timings.firstByteMs, undefined);
});

t.test('endless header lines run into the timeout', async (t) => {
  const { failure } = await sendToRawTarget(
    onRequest((socket) => socket.write(`${head}X-A: 1\r\n`)),
    {},
    100,
  );
  t.match(failure?.message, /within 0\.1 s \(it stopped in the header lines\)/);
});

t.test('a slow body runs into the timeout, and the failure says how much arrived', async (t) => {
  const drip: Behaviour = (socket) =>
    socket.once('data', () => {
      socket.write(`${head}Content-Length: 100000\r\n\r\n`);
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
  const result = await sendToRawTarget(drip, {}, 150);
  t.equal(result.failure?.kind, 'timeout');
  t.match(
    result.failure?.message,
    /answered 200, but its body was not complete within 0\.15 s \(\d+ bytes had arrived\)/,
  );
  t.equal(findFailureCode(result.failure), 'EXECUTOR_TIMEOUT_BODY');
  t.equal(result.head?.status, 200);
  t.ok(result.bytes.length > 2);
});

t.test('a connection that is never established runs into the timeout while connecting', async (t) => {
  const dispatcher = { ...withoutSockets, sendOnce: () => () => {}, close: () => {} };
  const after = (delayMs: number, action: () => void) => {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  };
  const clock = { ...systemClock, after };
  const { failure } = await sendOnce('http://10.0.0.1:81', {}, { dispatcher, clock, timeoutMs: 30 });
  t.equal(failure?.kind, 'timeout');
  t.match(failure?.message, /no connection to 10\.0\.0\.1:81 within 0\.03 s/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TIMEOUT_CONNECT');
});

t.test('100 MB are refused at 10 MB, announced or not', async (t) => {
  const announced = await sendToRawTarget(respondWith(`${head}Content-Length: 104857600\r\n\r\n`));
  t.equal(announced.failure?.kind, 'response_too_large');
  t.match(announced.failure?.message, /larger than 10 MiB \(104857600 bytes announced\)/);
  t.equal(findFailureCode(announced.failure), 'EXECUTOR_RESPONSE_TOO_LARGE');
  let sent = 0;
  const flood: Behaviour = (socket) =>
    socket.once('data', () => {
      const part = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && sent < 1600) {
          sent += 1;
          if (!socket.write(part)) break;
        }
      };
      socket.on('drain', more);
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`, more);
    });
  const result = await sendToRawTarget(flood);
  t.equal(result.failure?.kind, 'response_too_large');
  t.match(result.failure?.message, /more was still arriving/);
  t.ok(result.bytes.length < bodyLimitBytes + 200_000);
  t.ok(sent < 1600, 'the rest is never read');
});

t.test('a body of exactly 10 MB is read', async (t) => {
  const result = await sendToRawTarget(
    respondWith(
      Buffer.concat([
        Buffer.from(`${head}Content-Length: ${bodyLimitBytes}\r\n\r\n`),
        Buffer.alloc(bodyLimitBytes, 'a'),
      ]),
    ),
  );
  t.equal(result.failure, undefined);
  t.equal(result.bytes.length, bodyLimitBytes);
});

t.test('bytes that arrive behind the end of a response are counted, and are no part of it', async (t) => {
  const cases = [
    { response: `${head}Content-Length: 2\r\n\r\n{}more`, body: '{}', surplus: 4 },
    { response: `${head}Content-Length: 2\r\nConnection: close\r\n\r\n{}more`, body: '{}', surplus: 4 },
    { response: `HTTP/1.1 103 Early Hints\r\n\r\n${head}Content-Length: 2\r\n\r\n{}!`, body: '{}', surplus: 1 },
    { response: `${head}Content-Length: 2\r\n\r\n{}${head}Content-Length: 2\r\n\r\n[]`, body: '{}', surplus: 40 },
    { response: 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', body: '', surplus: 5 },
    { response: `${head}Content-Length: 4\r\n\r\n{} \n`, body: '{} \n', surplus: 0 },
    { response: `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, body: '{}', surplus: 0 },
  ];
  for (const { response, body, surplus } of cases) {
    const result = await sendToRawTarget(onRequest((socket) => socket.end(response)));
    t.equal(result.failure, undefined);
    t.equal(result.bytes.toString(), body, response);
    t.equal(result.surplusBytes, surplus, response);
  }
  const headResponse = onRequest((socket) => socket.write(`${head}Content-Length: 5\r\n\r\nhello`));
  t.equal((await sendToRawTarget(headResponse, { method: 'HEAD' })).surplusBytes, 5);
});

t.test('a response on an open connection is not mixed with what came behind the one before', async (t) => {
  let requests = 0;
  const target = await startRawTarget((socket) =>
    socket.on('data', () => {
      requests += 1;
      socket.write(requests === 1 ? `${head}Content-Length: 2\r\n\r\n[]${head}` : `${head}Content-Length: 2\r\n\r\n{}`);
    }),
  );
  const dispatcher = createTargetDispatcher();
  const surplus: number[] = [];
  const bodies: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const result = await sendOnce(target.origin, {}, { dispatcher: keepOpen(dispatcher) });
    surplus.push(result.surplusBytes);
    bodies.push(result.bytes.toString());
  }
  dispatcher.close();
  await target.close();
  t.same(bodies, ['[]', '{}', '{}']);
  t.same(surplus, [head.length, 0, 0]);
});

t.test('a truncated body is reported with the bytes received', async (t) => {
  const short = await sendToRawTarget(onRequest((socket) => socket.end(`${head}Content-Length: 100\r\n\r\nonly this`)));
  t.equal(short.failure?.kind, 'protocol_error');
  t.match(short.failure?.message, /answered 200, but the body ended early, after 9 bytes/);
  t.equal(findFailureCode(short.failure), 'EXECUTOR_BODY_BROKEN_OFF');
  t.equal(short.bytes.toString(), 'only this');
  const chunked = await sendToRawTarget(
    onRequest((socket) => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`)),
  );
  t.match(chunked.failure?.message, /the body ended early, after 3 bytes/);
  const reset = await sendToRawTarget(
    onRequest((socket) =>
      socket.write(`${head}Content-Length: 100\r\n\r\nabc`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ),
  );
  t.match(reset.failure?.message, /after 3 bytes \(the connection was reset\)/);
});

t.test('a connection closed or reset without a response is reported', async (t) => {
  const connectionClosed = await sendToRawTarget(onRequest((socket) => socket.end()));
  t.equal(connectionClosed.failure?.kind, 'protocol_error');
  t.match(connectionClosed.failure?.message, /closed the connection without a response/);
  t.equal(findFailureCode(connectionClosed.failure), 'EXECUTOR_TARGET_CLOSED');
  const reset = await sendToRawTarget(onRequest((socket) => socket.resetAndDestroy()));
  t.match(reset.failure?.message, /without a response \(the connection was reset\)/);
  const midHead = await sendToRawTarget(onRequest((socket) => socket.end(`${head}X-Half: `)));
  t.match(midHead.failure?.message, /in the middle of the header lines/);
});

t.test('a head that contradicts itself, or a port that may speak TLS, is not told as a crash', async (t) => {
  const twoLengths = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x';
  const { failure } = await sendToRawTarget(onRequest((socket) => socket.end(twoLengths)));
  t.match(failure?.message, 'it has more than one Content-Length');
  t.equal(findFailureCode(failure), 'EXECUTOR_TARGET_NOT_HTTP');
  const unusual = await sendToRawTarget(
    onRequest((socket) => socket.end('HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n')),
  );
  t.match(unusual.failure?.message, 'its status is not a number from 100 to 599');
  const closed = await sendToRawTarget(onRequest((socket) => socket.end()));
  t.match(closed.failure?.cure, '; if the port speaks TLS, write https:// in `targets.http.base_url`');
});

t.test('data that is not HTTP is reported', async (t) => {
  for (const garbage of [
    'SSH-2.0-OpenSSH_9.6\r\n',
    '\0\0\0\0\0\0\0\0',
    'HTTP/9.9 hello\r\n\r\n',
    `${head}Bad Name: x\r\n\r\n`,
  ]) {
    const { failure } = await sendToRawTarget(respondWith(garbage));
    t.equal(failure?.kind, 'protocol_error', garbage);
    t.match(failure?.message, /is not HTTP\/1\.1: /, garbage);
    t.equal(findFailureCode(failure), 'EXECUTOR_TARGET_NOT_HTTP');
  }
  const { failure } = await sendToRawTarget(respondWith(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`));
  t.match(failure?.message, /is not HTTP\/1\.1: Invalid character in chunk size/);
});

t.test('two framings at once (request smuggling) are refused', async (t) => {
  const both = `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
  t.equal((await sendToRawTarget(respondWith(both))).failure?.kind, 'protocol_error');
  const twice = `${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`;
  t.equal((await sendToRawTarget(respondWith(twice))).failure?.kind, 'protocol_error');
});

t.test('a body in a transfer coding that nobody asked for is not read as it stands', async (t) => {
  for (const coding of ['gzip, chunked', 'gzip\r\nTransfer-Encoding: chunked', 'x-custom, chunked', 'gzip']) {
    const { failure } = await sendToRawTarget(
      respondWith(`${head}Transfer-Encoding: ${coding}\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n`),
    );
    t.match(failure?.message, /is not HTTP\/1\.1: its Transfer-Encoding is (?:gzip|x-custom)$/, coding);
    t.equal(findFailureCode(failure), 'EXECUTOR_TARGET_NOT_HTTP');
  }
  const identity = await sendToRawTarget(
    onRequest((socket) => socket.end(`${head}Transfer-Encoding: identity\r\n\r\n{}`)),
  );
  t.equal(identity.failure, undefined);
  const chunked = await sendToRawTarget(respondWith(`${head}Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n`));
  t.equal(chunked.failure, undefined);
});

t.test('a huge header and a flood of headers are refused', async (t) => {
  for (const lines of [`X-Huge: ${'x'.repeat(100_000)}\r\n`, 'X-Flood: 0123456789\r\n'.repeat(10_000)]) {
    const { failure } = await sendToRawTarget(respondWith(`${head}${lines}Content-Length: 0\r\n\r\n`));
    t.equal(failure?.kind, 'protocol_error');
    t.match(failure?.message, /header lines of the response of 127\.0\.0\.1:\d+ are larger than 65536 bytes/);
    t.equal(findFailureCode(failure), 'EXECUTOR_TARGET_HEAD_TOO_LARGE');
  }
});

t.test('100 Continue is accepted; a flood of it and 101 Switching Protocols are reported', async (t) => {
  const hundred = 'HTTP/1.1 100 Continue\r\n\r\n';
  const accepted = await sendToRawTarget(respondWith(`${hundred}${head}Content-Length: 2\r\n\r\nok`));
  t.equal(accepted.failure, undefined);
  t.equal(accepted.bytes.toString(), 'ok');
  t.match((await sendToRawTarget(respondWith(hundred), {}, 100)).failure?.message, /no response came within 0\.1 s/);
  const flood = await sendToRawTarget(respondWith(hundred.repeat(1000)));
  t.match(flood.failure?.message, /is not HTTP\/1\.1: more than 100 interim responses/);
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
  t.match((await sendToRawTarget(respondWith(upgrade))).failure?.message, /switched protocols \(101\)/);
});

t.test('a target that speaks TLS at an http:// address is reported', async (t) => {
  const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
  const { failure } = await sendToRawTarget(respondWith(alert));
  t.match(failure?.message, /expects TLS, and the request was sent without it/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TLS_EXPECTED');
  t.match(failure?.cure, /https:\/\//);
});

t.test('header lines that cannot be sent fail the run with the reason', async (t) => {
  const target = await startHttpTarget(respondWithJson({}));
  const bad = [
    ['Transfer-Encoding', 'chunked'],
    ['Expect', '100-continue'],
    ['Content-Length', 'abc'],
    ['X-Bad', 'a\r\nInjected: 1'],
  ];
  for (const headers of bad) {
    const { failure } = await sendOnce(target.origin, { headers });
    t.match(failure?.message, /the request cannot be sent as the scenario writes it/, headers.join());
    t.equal(findFailureCode(failure), 'EXECUTOR_REQUEST_UNSENDABLE');
  }
  const wrongLength = { method: 'POST', headers: ['Content-Length', '3'], body: Buffer.from('four') };
  t.match((await sendOnce(target.origin, wrongLength)).failure?.message, /cannot be sent/);
  t.equal(target.arrived.length, 0);
  await target.close();
});

t.test('a cancelled run reports its progress, and its connection is closed', async (t) => {
  const startedMs = AbortSignal.abort();
  const never = await startRawTarget(() => {});
  const unsent = await sendOnce(never.origin, {}, { signal: startedMs });
  t.equal(unsent.failure?.kind, 'cancelled');
  t.match(unsent.failure?.message, /before anything was sent/);
  t.equal(findFailureCode(unsent.failure), 'EXECUTOR_RUN_CANCELLED');
  t.equal(never.connections(), 0);
  const stop = new AbortController();
  const connectionClosed = new Promise<void>((resolve) => {
    void startRawTarget((socket) => {
      socket.on('data', () => stop.abort());
      socket.on('close', () => resolve());
    }).then(async (target) => {
      const result = await sendOnce(target.origin, {}, { signal: stop.signal });
      t.match(result.failure?.message, /while waiting for the response/);
      await connectionClosed;
      await target.close();
    });
  });
  await connectionClosed;
  await never.close();
});

t.test('nothing is sent when `beforeSend` returns a failure', async (t) => {
  const target = await startHttpTarget(respondWithJson({}));
  const refusal = () => ({ kind: 'executor_lost', message: 'too late', cure: 'none' }) as const;
  const { failure, timings } = await sendOnce(target.origin, {}, { beforeSend: refusal });
  t.equal(failure?.kind, 'executor_lost');
  t.equal(timings.connectMs, undefined);
  t.equal(target.arrived.length, 0);
  await target.close();
});

t.test('an unreachable address is reported with the reason', async (t) => {
  const { failure } = await sendOnce('http://192.0.2.1:81', {}, { dispatcher: breaking('EHOSTUNREACH') });
  t.equal(failure?.kind, 'target_unreachable');
  t.equal(findFailureCode(failure), 'EXECUTOR_TARGET_UNREACHABLE');
  t.match(failure?.message, /192\.0\.2\.1:81 cannot be reached: the host cannot be reached \(EHOSTUNREACH\)/);
});

/** A dispatcher that cannot connect for this reason. */
function breaking(code: string): TargetDispatcher {
  return {
    ...withoutSockets,
    sendOnce(_request, listener) {
      listener.onBroken('connect', Object.assign(new Error('connect failed'), { code }));
      return () => {};
    },
    close() {},
  };
}
