import type { Socket } from 'node:net';
import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { bodyLimitBytes, type Heard, type TriggerOptions, trigger } from '../../src/executor/trigger.ts';
import { type TargetDispatcher, targetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import type { WireRequest } from '../../src/outbound/wire.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { answering, type Behaviour, closedPort, rawTarget } from '../targets/raw-target.ts';
import { codeOfFault } from './told.ts';

const head = 'HTTP/1.1 200 OK\r\n';

async function send(
  origin: string,
  given: Partial<WireRequest> = {},
  options: Partial<TriggerOptions> = {},
): Promise<Heard> {
  const dispatcher = targetDispatcher();
  const request = { origin, method: 'GET', path: '/', headers: [], body: undefined, ...given };
  const takenUpMs = systemClock.monotonicMs();
  const usual = { dispatcher, clock: systemClock, takenUpMs, timeoutMs: 5000, baseUrlFrom: 'config' } as const;
  const heard = await trigger(request, { ...usual, ...options });
  dispatcher.close();
  return heard;
}

/** What is heard of a target that behaves so. */
async function heardOf(behaviour: Behaviour, given: Partial<WireRequest> = {}, timeoutMs = 5000): Promise<Heard> {
  const target = await rawTarget(behaviour);
  const heard = await send(target.origin, given, { timeoutMs });
  await target.close();
  return heard;
}

function onRequest(act: (socket: Socket) => void): Behaviour {
  return (socket) => socket.once('data', () => act(socket));
}

t.test('an answer is heard whole, with its status, header lines in order and moments', async (t) => {
  const target = await httpTarget(json({ count: 3 }));
  const heard = await send(target.origin, { path: '/api/v2/document?page=1' });
  t.equal(heard.fault, undefined);
  t.equal(heard.head?.status, 200);
  t.strictSame(heard.head?.headers[0], ['content-type', 'application/json']);
  t.equal(heard.bytes.toString(), '{"count":3}');
  const { connectMs = -1, firstByteMs = -1, bodyMs = -1, totalMs } = heard.timings;
  t.ok(connectMs > 0 && connectMs <= firstByteMs && firstByteMs <= bodyMs && bodyMs <= totalMs);
  t.equal(target.arrived[0]?.url, '/api/v2/document?page=1');
  await target.close();
});

t.test('header lines that occur twice stay two, in their order', async (t) => {
  const heard = await heardOf(
    answering(`${head}Set-Cookie: a=1\r\nX-One: é\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n`),
  );
  t.strictSame(
    heard.head?.headers.map(([name, value]) => `${name}=${value}`),
    ['Set-Cookie=a=1', `X-One=${Buffer.from('é').toString('latin1')}`, 'set-cookie=b=2', 'Content-Length=0'],
  );
});

t.test('redirects are not followed', async (t) => {
  const target = await httpTarget((_request, response) => response.writeHead(302, { location: '/other' }).end());
  const heard = await send(target.origin);
  t.equal(heard.head?.status, 302);
  t.equal(target.arrived.length, 1);
  await target.close();
});

t.test('interim answers are skipped', async (t) => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(3);
  const heard = await heardOf(answering(`${early}${head}Content-Length: 2\r\n\r\nok`));
  t.equal(heard.head?.status, 200);
  t.equal(heard.bytes.toString(), 'ok');
});

t.test('answers without a body end at once: HEAD, 204, 304', async (t) => {
  const long = `${head}Content-Length: 99999999\r\n\r\n`;
  t.equal((await heardOf(answering(long), { method: 'HEAD' })).fault, undefined);
  t.equal((await heardOf(answering('HTTP/1.1 204 No Content\r\n\r\n'))).bytes.length, 0);
  t.equal((await heardOf(answering('HTTP/1.1 304 Not Modified\r\nContent-Length: 99999999\r\n\r\n'))).fault, undefined);
});

t.test('a body that ends with the connection is whole', async (t) => {
  const heard = await heardOf(onRequest((socket) => socket.end(`${head}\r\nall of it`)));
  t.equal(heard.fault, undefined);
  t.equal(heard.bytes.toString(), 'all of it');
});

t.test('a refused connection is told with host and port', async (t) => {
  const port = await closedPort();
  const { fault } = await send(`http://127.0.0.1:${port}`);
  t.equal(fault?.kind, 'target_unreachable');
  t.match(fault?.message, `nothing listens at 127.0.0.1:${port}`);
  t.equal(codeOfFault(fault), 'EXECUTOR_TARGET_REFUSED');
  t.match(fault?.cure, /base_url/);
  t.match((await send(`http://localhost:${port}`)).fault?.message, `nothing listens at localhost:${port}`);
});

t.test('cures name what named the address: the config, or --base-url', async (t) => {
  const refused = `http://127.0.0.1:${await closedPort()}`;
  const tls = await rawTarget((socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40])));
  for (const origin of [refused, 'http://app.invalid:3100', tls.origin]) {
    const told = async (baseUrlFrom: 'config' | 'flag') => (await send(origin, {}, { baseUrlFrom })).fault?.cure ?? '';
    t.match(await told('config'), '`targets.http.base_url`', origin);
    const cure = await told('flag');
    t.match(cure, '`--base-url`', origin);
    t.notMatch(cure, 'targets.http', origin);
    t.notMatch(cure, 'not the published one', origin);
  }
  await tls.close();
});

t.test('a host name that does not resolve is told by name', async (t) => {
  const { fault, timings } = await send('http://app.invalid:3100');
  t.equal(fault?.kind, 'target_unreachable');
  t.match(fault?.message, /the host name app\.invalid does not resolve \((ENOTFOUND|EAI_AGAIN)\)/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TARGET_UNRESOLVED');
  t.equal(timings.connectMs, undefined);
});

t.test('a target that never answers runs into the timeout of the scenario', async (t) => {
  const { fault, timings } = await heardOf(() => {}, {}, 120);
  t.equal(fault?.kind, 'timeout');
  t.match(fault?.message, /no answer came within 0\.12 s \(not one byte\)/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TIMEOUT_HEADERS');
  t.ok(timings.totalMs >= 119);
  t.equal(timings.firstByteMs, undefined);
});

t.test('a target that sends header lines for ever runs into it too', async (t) => {
  const { fault } = await heardOf(
    onRequest((socket) => socket.write(`${head}X-A: 1\r\n`)),
    {},
    100,
  );
  t.match(fault?.message, /within 0\.1 s \(it stopped in the header lines\)/);
});

t.test('a body that comes byte by byte runs into it, and says how far it came', async (t) => {
  const drip: Behaviour = (socket) =>
    socket.once('data', () => {
      socket.write(`${head}Content-Length: 100000\r\n\r\n`);
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
  const heard = await heardOf(drip, {}, 150);
  t.equal(heard.fault?.kind, 'timeout');
  t.match(heard.fault?.message, /answered 200, but its body was not complete within 0\.15 s \(\d+ bytes had arrived\)/);
  t.equal(codeOfFault(heard.fault), 'EXECUTOR_TIMEOUT_BODY');
  t.equal(heard.head?.status, 200);
  t.ok(heard.bytes.length > 2);
});

t.test('a connection that is never made runs into it while connecting', async (t) => {
  const dispatcher = { send: () => () => {}, close: () => {} };
  const after = (delayMs: number, action: () => void) => {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  };
  const clock = { ...systemClock, after };
  const { fault } = await send('http://10.0.0.1:81', {}, { dispatcher, clock, timeoutMs: 30 });
  t.equal(fault?.kind, 'timeout');
  t.match(fault?.message, /no connection to 10\.0\.0\.1:81 within 0\.03 s/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TIMEOUT_CONNECT');
});

t.test('100 MB are refused at 10 MB, announced or not', async (t) => {
  const announced = await heardOf(answering(`${head}Content-Length: 104857600\r\n\r\n`));
  t.equal(announced.fault?.kind, 'response_too_large');
  t.match(announced.fault?.message, /larger than 10 MiB \(104857600 bytes announced\)/);
  t.equal(codeOfFault(announced.fault), 'EXECUTOR_RESPONSE_TOO_LARGE');
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
  const heard = await heardOf(flood);
  t.equal(heard.fault?.kind, 'response_too_large');
  t.match(heard.fault?.message, /more was still coming/);
  t.ok(heard.bytes.length < bodyLimitBytes + 200_000);
  t.ok(sent < 1600, 'the rest is never read');
});

t.test('exactly 10 MB are read', async (t) => {
  const heard = await heardOf(
    answering(
      Buffer.concat([
        Buffer.from(`${head}Content-Length: ${bodyLimitBytes}\r\n\r\n`),
        Buffer.alloc(bodyLimitBytes, 'a'),
      ]),
    ),
  );
  t.equal(heard.fault, undefined);
  t.equal(heard.bytes.length, bodyLimitBytes);
});

t.test('a body that breaks off is told with what had come', async (t) => {
  const short = await heardOf(onRequest((socket) => socket.end(`${head}Content-Length: 100\r\n\r\nonly this`)));
  t.equal(short.fault?.kind, 'protocol_error');
  t.match(short.fault?.message, /answered 200 and broke off in the middle of the body, after 9 bytes/);
  t.equal(codeOfFault(short.fault), 'EXECUTOR_BODY_BROKEN_OFF');
  t.equal(short.bytes.toString(), 'only this');
  const chunked = await heardOf(onRequest((socket) => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`)));
  t.match(chunked.fault?.message, /broke off in the middle of the body, after 3 bytes/);
  const reset = await heardOf(
    onRequest((socket) =>
      socket.write(`${head}Content-Length: 100\r\n\r\nabc`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ),
  );
  t.match(reset.fault?.message, /after 3 bytes \(the connection was reset\)/);
});

t.test('a connection closed or reset without an answer is told', async (t) => {
  const closed = await heardOf(onRequest((socket) => socket.end()));
  t.equal(closed.fault?.kind, 'protocol_error');
  t.match(closed.fault?.message, /closed the connection without an answer/);
  t.equal(codeOfFault(closed.fault), 'EXECUTOR_TARGET_CLOSED');
  const reset = await heardOf(onRequest((socket) => socket.resetAndDestroy()));
  t.match(reset.fault?.message, /without an answer \(the connection was reset\)/);
  const midHead = await heardOf(onRequest((socket) => socket.end(`${head}X-Half: `)));
  t.match(midHead.fault?.message, /in the middle of the header lines/);
});

t.test('what is not HTTP is told so', async (t) => {
  for (const garbage of [
    'SSH-2.0-OpenSSH_9.6\r\n',
    '\0\0\0\0\0\0\0\0',
    'HTTP/9.9 hello\r\n\r\n',
    `${head}Bad Name: x\r\n\r\n`,
  ]) {
    const { fault } = await heardOf(answering(garbage));
    t.equal(fault?.kind, 'protocol_error', garbage);
    t.match(fault?.message, /is not HTTP\/1\.1: /, garbage);
    t.equal(codeOfFault(fault), 'EXECUTOR_TARGET_NOT_HTTP');
  }
  const { fault } = await heardOf(answering(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`));
  t.match(fault?.message, /is not HTTP\/1\.1: Invalid character in chunk size/);
});

t.test('two framings at once (request smuggling) are refused', async (t) => {
  const both = `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
  t.equal((await heardOf(answering(both))).fault?.kind, 'protocol_error');
  const twice = `${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`;
  t.equal((await heardOf(answering(twice))).fault?.kind, 'protocol_error');
});

t.test('a huge header and a flood of headers are refused', async (t) => {
  for (const lines of [`X-Huge: ${'x'.repeat(100_000)}\r\n`, 'X-Flood: 0123456789\r\n'.repeat(10_000)]) {
    const { fault } = await heardOf(answering(`${head}${lines}Content-Length: 0\r\n\r\n`));
    t.equal(fault?.kind, 'protocol_error');
    t.match(fault?.message, /header lines of the answer of 127\.0\.0\.1:\d+ are larger than 65536 bytes/);
    t.equal(codeOfFault(fault), 'EXECUTOR_TARGET_HEAD_TOO_LARGE');
  }
});

t.test('100 Continue and 101 Switching Protocols, unasked, are told', async (t) => {
  const hundred = await heardOf(answering('HTTP/1.1 100 Continue\r\n\r\n'));
  t.match(hundred.fault?.message, /it sent 100 Continue/);
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
  t.match((await heardOf(answering(upgrade))).fault?.message, /switched protocols \(101\)/);
});

t.test('a target that speaks TLS where http:// is written is told', async (t) => {
  const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
  const { fault } = await heardOf(answering(alert));
  t.match(fault?.message, /speaks TLS, and the request was sent without/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TLS_EXPECTED');
  t.match(fault?.cure, /https:\/\//);
});

t.test('header lines that cannot be sent fail the run with the reason', async (t) => {
  const target = await httpTarget(json({}));
  const bad = [
    ['Transfer-Encoding', 'chunked'],
    ['Expect', '100-continue'],
    ['Content-Length', 'abc'],
    ['X-Bad', 'a\r\nInjected: 1'],
  ];
  for (const headers of bad) {
    const { fault } = await send(target.origin, { headers });
    t.match(fault?.message, /the request cannot be sent as the scenario writes it/, headers.join());
    t.equal(codeOfFault(fault), 'EXECUTOR_REQUEST_UNSENDABLE');
  }
  const wrongLength = { method: 'POST', headers: ['Content-Length', '3'], body: Buffer.from('four') };
  t.match((await send(target.origin, wrongLength)).fault?.message, /cannot be sent/);
  t.equal(target.arrived.length, 0);
  await target.close();
});

t.test('a cancelled run says how far it was, and its connection is closed', async (t) => {
  const before = AbortSignal.abort();
  const never = await rawTarget(() => {});
  const unsent = await send(never.origin, {}, { signal: before });
  t.equal(unsent.fault?.kind, 'cancelled');
  t.match(unsent.fault?.message, /before anything was sent/);
  t.equal(codeOfFault(unsent.fault), 'EXECUTOR_RUN_CANCELLED');
  t.equal(never.connections(), 0);
  const stop = new AbortController();
  const closed = new Promise<void>((resolve) => {
    void rawTarget((socket) => {
      socket.on('data', () => stop.abort());
      socket.on('close', () => resolve());
    }).then(async (target) => {
      const heard = await send(target.origin, {}, { signal: stop.signal });
      t.match(heard.fault?.message, /while waiting for the answer/);
      await closed;
      await target.close();
    });
  });
  await closed;
  await never.close();
});

t.test('nothing is sent when the moment of sending refuses', async (t) => {
  const target = await httpTarget(json({}));
  const refusal = () => ({ kind: 'executor_lost', message: 'too late', cure: 'none' }) as const;
  const { fault, timings } = await send(target.origin, {}, { refusal });
  t.equal(fault?.kind, 'executor_lost');
  t.equal(timings.connectMs, undefined);
  t.equal(target.arrived.length, 0);
  await target.close();
});

t.test('an address with no way to it is told with the reason', async (t) => {
  const { fault } = await send('http://192.0.2.1:81', {}, { dispatcher: breaking('EHOSTUNREACH') });
  t.equal(fault?.kind, 'target_unreachable');
  t.equal(codeOfFault(fault), 'EXECUTOR_TARGET_UNREACHABLE');
  t.match(fault?.message, /there is no way to 192\.0\.2\.1:81 \(EHOSTUNREACH\)/);
});

/** A dispatcher that cannot connect, for this reason. */
function breaking(code: string): TargetDispatcher {
  return {
    send(_request, listener) {
      listener.onBroken('connect', Object.assign(new Error('connect failed'), { code }));
      return () => {};
    },
    close() {},
  };
}
