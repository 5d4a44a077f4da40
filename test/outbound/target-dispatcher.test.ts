import type { Socket } from 'node:net';
import t from 'tap';
import { createTargetDispatcher, type TargetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { type Behaviour, startRawTarget } from '../targets/raw-target.ts';

/** `fresh` is undefined when no request was sent. */
type Outcome = {
  readonly fresh: boolean | undefined;
  readonly status: number | undefined;
  readonly error: Error | undefined;
};

function send(dispatcher: TargetDispatcher, origin: string, method = 'GET', body?: Uint8Array): Promise<Outcome> {
  return new Promise((resolve) => {
    let fresh: boolean | undefined;
    let status: number | undefined;
    const end = (error?: Error): void => resolve({ fresh, status, error });
    dispatcher.sendOnce(
      { origin, method, path: '/', headers: [], body },
      {
        mayStart: (isFresh) => {
          fresh = isFresh;
          return true;
        },
        onFirstByte: () => {},
        onHead: (code) => {
          status = code;
        },
        onData: () => {},
        onEnd: () => end(),
        onBroken: (_stage, error) => end(error),
      },
    );
  });
}

const okResponse = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Responds to `count` requests of each connection, then calls `then` with the next. */
function answersThen(count: number, then: (socket: Socket) => void): Behaviour {
  return (socket) => {
    let received = 0;
    socket.on('data', () => {
      received += 1;
      if (received <= count) socket.write(okResponse);
      else then(socket);
    });
  };
}

t.test('sequential safe requests share one connection', async (t) => {
  const target = await startRawTarget(answersThen(100, () => {}));
  const dispatcher = createTargetDispatcher();
  const outcomes = [];
  for (const method of ['GET', 'OPTIONS', 'TRACE', 'QUERY', 'GET'])
    outcomes.push(await send(dispatcher, target.origin, method));
  t.strictSame(
    outcomes.map(({ fresh }) => fresh),
    [true, false, false, false, false],
  );
  t.equal(target.connections(), 1);
  dispatcher.close();
  await target.close();
});

t.test('concurrent requests use a connection each', async (t) => {
  const target = await startRawTarget(answersThen(100, () => {}));
  const dispatcher = createTargetDispatcher();
  await Promise.all([1, 2, 3].map(() => send(dispatcher, target.origin)));
  t.equal(target.connections(), 3);
  await Promise.all([1, 2, 3].map(() => send(dispatcher, target.origin)));
  t.equal(target.connections(), 3, 'the connections are reused');
  dispatcher.close();
  await target.close();
});

t.test('an unsafe request always opens its own connection', async (t) => {
  const target = await startRawTarget(answersThen(100, () => {}));
  const dispatcher = createTargetDispatcher();
  for (const method of ['GET', 'POST', 'POST', 'DELETE', 'PUT', 'PATCH']) {
    const { fresh } = await send(dispatcher, target.origin, method, method === 'POST' ? Buffer.from('{}') : undefined);
    t.equal(fresh, true, method);
  }
  t.equal((await send(dispatcher, target.origin)).fresh, false, 'a safe request may reuse it afterwards');
  t.equal(target.connections(), 6);
  dispatcher.close();
  await target.close();
});

t.test('a connection that the target closed while idle does not fail the next request', async (t) => {
  const target = await startRawTarget((socket) =>
    socket.on('data', () => {
      socket.write(okResponse);
      socket.destroySoon();
    }),
  );
  const dispatcher = createTargetDispatcher();
  for (let round = 0; round < 20; round += 1) {
    const { status, error } = await send(dispatcher, target.origin);
    t.equal(error, undefined);
    t.equal(status, 200);
  }
  t.equal(target.requests(), 20, 'no request is sent twice');
  dispatcher.close();
  await target.close();
});

t.test('a safe request is retried once on a new connection when its connection breaks', async (t) => {
  const target = await startRawTarget(answersThen(1, (socket) => socket.resetAndDestroy()));
  const dispatcher = createTargetDispatcher();
  await send(dispatcher, target.origin);
  const { status, fresh } = await send(dispatcher, target.origin);
  t.equal(status, 200);
  t.equal(fresh, true);
  t.equal(target.requests(), 3);
  dispatcher.close();
  await target.close();
});

t.test('a request is not retried when a new connection breaks', async (t) => {
  const target = await startRawTarget(answersThen(0, (socket) => socket.resetAndDestroy()));
  const dispatcher = createTargetDispatcher();
  t.type((await send(dispatcher, target.origin)).error, Error);
  t.type((await send(dispatcher, target.origin, 'POST')).error, Error);
  t.equal(target.requests(), 2);
  dispatcher.close();
  await target.close();
});

t.test('a request is not retried after a partial response', async (t) => {
  const target = await startRawTarget(
    answersThen(1, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
  );
  const dispatcher = createTargetDispatcher();
  await send(dispatcher, target.origin);
  t.type((await send(dispatcher, target.origin)).error, Error);
  t.equal(target.requests(), 2);
  dispatcher.close();
  await target.close();
});

t.test('an aborted request reports nothing more, and its connection closes', async (t) => {
  let events = 0;
  const count = (): void => {
    events += 1;
  };
  const dispatcher = createTargetDispatcher();
  const closed = new Promise<void>((resolve) => {
    void startRawTarget((socket) => {
      socket.on('data', () => abort());
      socket.on('close', () => resolve());
    }).then((target) => {
      t.teardown(() => target.close());
      const listener = {
        mayStart: () => true,
        onFirstByte: count,
        onHead: count,
        onData: count,
        onEnd: count,
        onBroken: count,
      };
      abort = dispatcher.sendOnce(
        { origin: target.origin, method: 'GET', path: '/', headers: [], body: undefined },
        listener,
      );
    });
  });
  let abort = (): void => {};
  await closed;
  t.equal(events, 0);
  dispatcher.close();
});

t.test('a request that is aborted while connecting is never sent', async (t) => {
  const target = await startHttpTarget(respondWithJson({}));
  const dispatcher = createTargetDispatcher();
  const started = { mayStart: () => t.fail('it started'), onFirstByte() {}, onHead() {}, onData() {}, onEnd() {} };
  const listener = { ...started, mayStart: () => false, onBroken: () => t.fail('it was reported') };
  dispatcher.sendOnce({ origin: target.origin, method: 'GET', path: '/', headers: [], body: undefined }, listener)();
  await (await fetch(`${target.origin}/later`)).text();
  t.match(target.arrived, [{ url: '/later' }]);
  t.equal(target.arrived.length, 1);
  dispatcher.close();
  await target.close();
});
