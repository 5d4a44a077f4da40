/** A TCP connection on its way: it can be cut as a network does, in silence, or be reset. Its address stays the same. */
import { once } from 'node:events';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { getPort } from '../../targets/raw-target.ts';

export type Link = {
  readonly port: number;
  /** From now on new connections go there. */
  forwardTo(port: number): void;
  /** Nothing passes, and nobody learns of it: neither data nor the end of a connection, and new connections get no answer. */
  cut(): void;
  /** What was stopped goes on; with `forget`, connections from before stay dead, as behind a router that was started again. */
  heal(options?: { readonly forget: boolean }): void;
  /** Ends all connections at once. */
  reset(): void;
  close(): Promise<void>;
};

/** Two sockets, each of which gets what the other sends. */
class Pair {
  readonly #ends: readonly [Socket, Socket];
  #isCut: boolean;

  constructor(near: Socket, far: Socket, isCut: boolean) {
    this.#ends = [near, far];
    this.#isCut = isCut;
    this.#connect(near, far);
    this.#connect(far, near);
    if (isCut) this.cut();
  }

  #connect(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on('error', () => undefined);
    from.on('data', (chunk) => {
      if (to.destroyed || to.write(chunk)) return;
      from.pause();
      to.once('drain', () => this.#isCut || from.resume());
    });
    from.on('end', () => this.#isCut || to.end());
    from.on('close', () => this.#isCut || to.destroy());
  }

  cut(): void {
    this.#isCut = true;
    for (const end of this.#ends) end.pause();
  }

  heal(): void {
    this.#isCut = false;
    for (const end of this.#ends) end.resume();
    if (this.#ends.some(({ destroyed }) => destroyed)) this.reset();
  }

  reset(): void {
    for (const end of this.#ends) end.resetAndDestroy();
  }

  get isOver(): boolean {
    return this.#ends.every(({ destroyed }) => destroyed);
  }
}

export async function startLink(initialPort = 0): Promise<Link> {
  let pairs: Pair[] = [];
  let waiting: Socket[] = [];
  let target = initialPort;
  let isCut = false;

  function join(near: Socket): void {
    if (near.destroyed) return;
    pairs = pairs.filter(({ isOver }) => !isOver);
    pairs.push(new Pair(near, connectTo({ host: '127.0.0.1', port: target, allowHalfOpen: true }), isCut));
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.on('error', () => undefined);
    if (isCut) waiting.push(near);
    else join(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const reset = (): void => {
    for (const pair of pairs) pair.reset();
    for (const near of waiting) near.resetAndDestroy();
    pairs = [];
    waiting = [];
  };
  return {
    port: getPort(server),
    forwardTo(port) {
      target = port;
    },
    cut() {
      isCut = true;
      for (const pair of pairs) pair.cut();
    },
    heal({ forget } = { forget: false }) {
      isCut = false;
      if (!forget) for (const pair of pairs) pair.heal();
      for (const near of waiting) join(near);
      waiting = [];
    },
    reset,
    async close() {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}
