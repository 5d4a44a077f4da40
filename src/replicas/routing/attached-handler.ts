/** The handler of a control plane on a listener that outlives it. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../environment/clock.ts';
import {
  createRequestListener,
  type NodeHandler,
  type RequestListenerOptions,
} from '../../http/listener/request-listener.ts';
import { waitAtMost } from '../../timing/timeout.ts';

export type AttachedHandler = {
  readonly handle: NodeHandler;
  /** Lets open requests end for `graceMs`, then closes their connections. New ones must not arrive any more. */
  close(graceMs: number): Promise<void>;
};

export function createAttachedHandler(options: RequestListenerOptions, clock: Pick<Clock, 'after'>): AttachedHandler {
  const closing = new AbortController();
  const handler = createRequestListener(options, closing.signal);
  const open = new Set<ServerResponse>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const endIfIdle = (): void => {
    if (closing.signal.aborted && open.size === 0) end();
  };
  return {
    handle(incoming, outgoing) {
      open.add(outgoing);
      outgoing.once('close', () => {
        open.delete(outgoing);
        endIfIdle();
      });
      handler(incoming, outgoing);
    },
    async close(graceMs) {
      closing.abort();
      endIfIdle();
      await waitAtMost(clock, graceMs, ended);
      for (const outgoing of open) outgoing.destroy();
    },
  };
}
