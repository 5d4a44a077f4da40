/** Interim responses (RFC 9110 section 15.2) before a final one, as a client of each kind sees them. */
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { createTargetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { startRawTarget } from '../targets/raw-target.ts';

const hundred = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
const body = 'HTTP/1.1 100 Continue\r\n\r\n';
const final = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

type Outcome = { readonly status: number | undefined; readonly body: string; readonly error: Error | undefined };

/** Sends `count` requests one after the other to a target that responds with `response`, in parts. */
async function request(t: Test, respond: (socket: Socket) => void, count = 1): Promise<Outcome> {
  const target = await startRawTarget((socket) => socket.on('data', () => respond(socket)));
  const dispatcher = createTargetDispatcher();
  t.teardown(async () => {
    dispatcher.close();
    await target.close();
  });
  let outcome: Outcome = { status: undefined, body: '', error: undefined };
  for (let sent = 0; sent < count; sent += 1) {
    outcome = await new Promise((resolve) => {
      let status: number | undefined;
      const chunks: Buffer[] = [];
      const end = (error?: Error): void => resolve({ status, body: Buffer.concat(chunks).toString(), error });
      dispatcher.sendOnce(
        { origin: target.origin, method: 'GET', path: '/', headers: [], body: undefined },
        {
          mayStart: () => true,
          onFirstByte: () => {},
          onHead: (code) => {
            status = code;
          },
          onData: (chunk) => chunks.push(Buffer.from(chunk)),
          onEnd: () => end(),
          onBroken: (_stage, error) => end(error),
        },
      );
    });
    if (outcome.error) return outcome;
  }
  t.equal(target.connections(), 1);
  return outcome;
}

t.test('100 Continue and others come before the final response, which is read as it is', async (t) => {
  const expected = { status: 200, body, error: undefined };
  t.same(await request(t, (socket) => socket.write(hundred + final)), expected);
  t.same(await request(t, (socket) => socket.write(hundred + hints + hundred + final)), expected);
  t.same(await request(t, (socket) => socket.write(hundred + final), 3), expected, 'also on an open connection');
});

t.test('interim responses may arrive byte by byte', async (t) => {
  const outcome = await request(t, (socket) => {
    socket.setNoDelay();
    const bytes = [...(hundred + hints + final)];
    const writeNext = (): void => {
      const byte = bytes.shift();
      if (byte !== undefined) socket.write(byte, () => setImmediate(writeNext));
    };
    writeNext();
  });
  t.same(outcome, { status: 200, body, error: undefined });
});

t.test('a flood of interim responses ends the request', async (t) => {
  const flood = (text: string) => request(t, (socket) => socket.write(text.repeat(200) + final));
  t.match((await flood(hundred)).error, { code: 'INTERIM_RESPONSE_FLOOD', message: 'more than 100 interim responses' });
  const long = `HTTP/1.1 103 Early Hints\r\nLink: <${'a'.repeat(2000)}>\r\n\r\n`;
  t.match((await flood(long)).error, { code: 'INTERIM_RESPONSE_FLOOD' });
  const send = (count: number) => request(t, (socket) => socket.write(hints.repeat(count) + final));
  t.match(await send(100), { status: 200, body, error: undefined });
  t.match((await send(101)).error, { code: 'INTERIM_RESPONSE_FLOOD' });
});

t.test('an upstream server may send 100 Continue too', async (t) => {
  const target = await startRawTarget((socket) =>
    socket.on('data', () => socket.write(`${hundred}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`)),
  );
  const guarded = createGuardedFetch({ allowPrivate: true, extraRoots: [], variables: {}, answerLimitBytes: 1000 });
  t.teardown(async () => {
    await guarded.close();
    await target.close();
  });
  for (const attempt of [1, 2])
    t.match(
      await guarded.request(target.origin, { method: 'POST', body: '{}' }),
      { status: 200, body: '{}' },
      `${attempt}`,
    );
});
