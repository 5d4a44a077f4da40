/**
 * One onboarding at a time on a machine, whoever runs it: two at once would choose the same port, and start the same shared stacks.
 * The lock is a listening socket, which the operating system closes with its process, even after a kill -9. On Linux it has an
 * abstract name, which belongs to no user's folder; elsewhere it is a port next to those of the executors.
 */
import { createServer, type ListenOptions, type Server } from 'node:net';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import { pollUntil } from '../timing/poll.ts';

export type MachineLock = { release(): void };

export type MachineLockOptions = {
  readonly platform: NodeJS.Platform;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly signal: AbortSignal;
  /** Called once when another onboarding holds the lock. */
  onWait(): void;
  /** For tests. */
  readonly name?: string;
};

const port = 8764;
const pauseMs = 250;
const timeoutMs = 5 * 60_000;

/** Waits for the other onboarding. Throws MACHINE_BUSY, and the reason of an aborted signal. */
export async function acquireMachineLock(options: MachineLockOptions): Promise<MachineLock> {
  const { platform, clock, signal, onWait, name = 'vp-onboarding' } = options;
  const address = platform === 'linux' ? { path: `\0${name}` } : { host: '127.0.0.1', port, exclusive: true };
  let isWaiting = false;
  const onPause = (): void => {
    if (!isWaiting) onWait();
    isWaiting = true;
  };
  const look = (): Promise<Server | undefined> => tryListen(address);
  const server = await pollUntil({ clock, pauseMs, timeoutMs, signal, onPause }, look, Boolean);
  if (!server) throw vpError('MACHINE_BUSY', { minutes: timeoutMs / 60_000 });
  return { release: () => void server.close() };
}

/** Undefined while another process listens there. */
function tryListen(address: ListenOptions): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => resolve(server));
  });
}
