/** A real listener of a test, and bytes on its sockets. */
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type Handler, type Listening, type ListenOptions, listen } from '../../src/http/listen.ts';
import { keptLog, type Logged } from './kept-log.ts';

/** Listens on a free port of 127.0.0.1; closed after the test. */
export async function listening(
  t: Test,
  handler: Handler,
  options: Partial<Pick<ListenOptions, 'limits' | 'publicUrls' | 'crossOrigin' | 'raw'>> & { socketPath?: string } = {},
): Promise<Listening & { readonly port: number; readonly lines: Logged[] }> {
  const { log, lines } = keptLog();
  const { socketPath, ...rest } = options;
  const at = socketPath === undefined ? { host: '127.0.0.1', port: 0 } : { socketPath };
  const listener = await listen({ ...at, ...rest, handler, clock: systemClock, random: systemRandom, log });
  t.teardown(() => listener.close(0));
  return { ...listener, port: 'port' in listener.address ? listener.address.port : 0, lines };
}

/** A connection: what was received so far, and its end. */
export type Wire = {
  readonly socket: Socket;
  received(): string;
  /** Resolves with all of `received` as soon as it contains `part`; rejects when the connection ends first. */
  until(part: string): Promise<string>;
  ended(): Promise<string>;
};

/** Connects and sends `text`. */
export function wire(t: Test, at: number | string, text: string): Wire {
  const socket = typeof at === 'number' ? connect(at, '127.0.0.1') : connect(at);
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
    until: (part) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!received.includes(part)) return;
          socket.off('data', look);
          resolve(received);
        };
        socket.on('data', look);
        socket.once('close', () => reject(new Error(`ended before ${JSON.stringify(part)}: ${received}`)));
        look();
      }),
    ended: () => closed,
  };
}
