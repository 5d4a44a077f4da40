/** A real listener, and raw connections to it. */
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type HttpListener, type ListenOptions, listen } from '../../src/http/listener/listen.ts';
import type { RequestHandler } from '../../src/http/listener/request-listener.ts';
import { createMemoryLog, type LogLine } from './memory-log.ts';

/** Listens on a free port of 127.0.0.1; closed after the test. */
export async function startListener(
  t: Test,
  handler: RequestHandler,
  options: Partial<Pick<ListenOptions, 'limits' | 'publicUrls' | 'crossOrigin' | 'raw'>> & { socketPath?: string } = {},
): Promise<HttpListener & { readonly port: number; readonly lines: LogLine[] }> {
  const { log, lines } = createMemoryLog();
  const { socketPath, ...listenOptions } = options;
  const address = socketPath === undefined ? { host: '127.0.0.1', port: 0 } : { socketPath };
  const listener = await listen({
    ...address,
    ...listenOptions,
    handler,
    clock: systemClock,
    random: systemRandom,
    log,
  });
  t.teardown(() => listener.close(0));
  return { ...listener, port: 'port' in listener.address ? listener.address.port : 0, lines };
}

export type TestConnection = {
  readonly socket: Socket;
  received(): string;
  /** Resolves with all of `received` as soon as it contains `part`; rejects when the connection ends first. */
  waitFor(part: string): Promise<string>;
  waitForEnd(): Promise<string>;
};

/** Connects and sends `text`. */
export function openConnection(t: Test, address: number | string, text: string): TestConnection {
  const socket = typeof address === 'number' ? connect(address, '127.0.0.1') : connect(address);
  t.teardown(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(text);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  return {
    socket,
    received: () => received,
    waitFor: (part) =>
      new Promise((resolve, reject) => {
        const checkReceived = (): void => {
          if (!received.includes(part)) return;
          socket.off('data', checkReceived);
          resolve(received);
        };
        socket.on('data', checkReceived);
        socket.once('close', () => reject(new Error(`ended before ${JSON.stringify(part)}: ${received}`)));
        checkReceived();
      }),
    waitForEnd: () => closed,
  };
}
