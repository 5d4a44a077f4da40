import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** Hands a message on, as it is or changed, now or later. */
export type Between = (message: JSONRPCMessage, hear: (message: JSONRPCMessage) => void) => void;

const chains = new WeakMap<Transport, Between[]>();

/** The same transport, with `between` before whoever hears its messages, and behind those that stand there already. */
export function withHearing<T extends Transport>(transport: T, between: Between): T {
  const known = chains.get(transport);
  if (known) {
    known.push(between);
    return transport;
  }
  const chain = [between];
  chains.set(transport, chain);
  let heard: Transport['onmessage'] = transport.onmessage;
  const own: NonNullable<Transport['onmessage']> = (message, extra) => {
    const from = (at: number, next: JSONRPCMessage): void => {
      const step = chain[at];
      if (step) step(next, (changed) => from(at + 1, changed));
      else heard?.(Object.is(next, message) ? message : { ...message, ...next }, extra);
    };
    from(0, message);
  };
  Object.defineProperty(transport, 'onmessage', {
    get: () => heard && own,
    set: (next: Transport['onmessage']) => {
      heard = next;
    },
  });
  return transport;
}
