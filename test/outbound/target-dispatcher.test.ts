import type { Socket } from 'node:net';
import t from 'tap';
import { type TargetDispatcher, targetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { type Behaviour, rawTarget } from '../targets/raw-target.ts';

/** `fresh` is undefined where nothing left. */
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
    dispatcher.send(
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

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Answers `count` requests of each connection, then does `then` with the next. */
function answersThen(count: number, then: (socket: Socket) => void): Behaviour {
  return (socket) => {
    let seen = 0;
    socket.on('data', () => {
      seen += 1;
      if (seen <= count) socket.write(answer);
      else then(socket);
    });
  };
}

t.test('safe requests use one connection, one after another', async (t) => {
  const target = await rawTarget(answersThen(100, () => {}));
  const dispatcher = targetDispatcher();
  const outcomes = [];
  for (const method of ['GET', 'OPTIONS', 'GET']) outcomes.push(await send(dispatcher, target.origin, method));
  t.strictSame(
    outcomes.map(({ fresh }) => fresh),
    [true, false, false],
  );
  t.equal(target.connections(), 1);
  dispatcher.close();
  await target.close();
});

t.test('requests at the same time have a connection each', async (t) => {
  const target = await rawTarget(answersThen(100, () => {}));
  const dispatcher = targetDispatcher();
  await Promise.all([1, 2, 3].map(() => send(dispatcher, target.origin)));
  t.equal(target.connections(), 3);
  await Promise.all([1, 2, 3].map(() => send(dispatcher, target.origin)));
  t.equal(target.connections(), 3, 'and use them again');
  dispatcher.close();
  await target.close();
});

t.test('an unsafe request always opens its own connection', async (t) => {
  const target = await rawTarget(answersThen(100, () => {}));
  const dispatcher = targetDispatcher();
  for (const method of ['GET', 'POST', 'POST', 'DELETE']) {
    const { fresh } = await send(dispatcher, target.origin, method, method === 'POST' ? Buffer.from('{}') : undefined);
    t.equal(fresh, true, method);
  }
  t.equal((await send(dispatcher, target.origin)).fresh, false, 'which a safe one may use afterwards');
  t.equal(target.connections(), 4);
  dispatcher.close();
  await target.close();
});

t.test('a connection that the target closed while idle does not fail the next request', async (t) => {
  const target = await rawTarget((socket) =>
    socket.on('data', () => {
      socket.write(answer);
      socket.destroySoon();
    }),
  );
  const dispatcher = targetDispatcher();
  for (let round = 0; round < 20; round += 1) {
    const { status, error } = await send(dispatcher, target.origin);
    t.equal(error, undefined);
    t.equal(status, 200);
  }
  t.equal(target.requests(), 20, 'and sends no request twice');
  dispatcher.close();
  await target.close();
});

t.test('a connection that dies under a safe request: once more on a new one', async (t) => {
  const target = await rawTarget(answersThen(1, (socket) => socket.resetAndDestroy()));
  const dispatcher = targetDispatcher();
  await send(dispatcher, target.origin);
  const { status, fresh } = await send(dispatcher, target.origin);
  t.equal(status, 200);
  t.equal(fresh, true);
  t.equal(target.requests(), 3);
  dispatcher.close();
  await target.close();
});

t.test('a new connection that dies is not tried again', async (t) => {
  const target = await rawTarget(answersThen(0, (socket) => socket.resetAndDestroy()));
  const dispatcher = targetDispatcher();
  t.type((await send(dispatcher, target.origin)).error, Error);
  t.type((await send(dispatcher, target.origin, 'POST')).error, Error);
  t.equal(target.requests(), 2);
  dispatcher.close();
  await target.close();
});

t.test('an answer that broke off is never asked for again', async (t) => {
  const target = await rawTarget(
    answersThen(1, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
  );
  const dispatcher = targetDispatcher();
  await send(dispatcher, target.origin);
  t.type((await send(dispatcher, target.origin)).error, Error);
  t.equal(target.requests(), 2);
  dispatcher.close();
  await target.close();
});

t.test('an aborted request is heard of no more, and its connection closes', async (t) => {
  let heard = 0;
  const count = (): void => {
    heard += 1;
  };
  const dispatcher = targetDispatcher();
  const closed = new Promise<void>((resolve) => {
    void rawTarget((socket) => {
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
      abort = dispatcher.send(
        { origin: target.origin, method: 'GET', path: '/', headers: [], body: undefined },
        listener,
      );
    });
  });
  let abort = (): void => {};
  await closed;
  t.equal(heard, 0);
  dispatcher.close();
});

t.test('a request aborted while connecting never leaves', async (t) => {
  const target = await httpTarget(json({}));
  const dispatcher = targetDispatcher();
  const started = { mayStart: () => t.fail('it started'), onFirstByte() {}, onHead() {}, onData() {}, onEnd() {} };
  const listener = { ...started, mayStart: () => false, onBroken: () => t.fail('it was told') };
  dispatcher.send({ origin: target.origin, method: 'GET', path: '/', headers: [], body: undefined }, listener)();
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(target.arrived.length, 0);
  dispatcher.close();
  await target.close();
});
