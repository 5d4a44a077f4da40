import { isJSONRPCNotification, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';

/** Delivers a message, unchanged or changed, now or later. */
export type MessageInterceptor = (message: JSONRPCMessage, deliver: (message: JSONRPCMessage) => void) => void;

const chains = new WeakMap<Transport, MessageInterceptor[]>();

/** Adds an interceptor before the listener of a transport, after existing interceptors. */
export function interceptMessages<T extends Transport>(transport: T, interceptor: MessageInterceptor): T {
  const existingChain = chains.get(transport);
  if (existingChain) {
    existingChain.push(interceptor);
    return transport;
  }
  const chain = [interceptor];
  chains.set(transport, chain);
  let listener: Transport['onmessage'] = transport.onmessage;
  const dispatch: NonNullable<Transport['onmessage']> = (message, extra) => {
    const deliverFrom = (index: number, nextMessage: JSONRPCMessage): void => {
      const interceptorAt = chain[index];
      if (interceptorAt) interceptorAt(nextMessage, (changed) => deliverFrom(index + 1, changed));
      else listener?.(Object.is(nextMessage, message) ? message : { ...message, ...nextMessage }, extra);
    };
    deliverFrom(0, message);
  };
  Object.defineProperty(transport, 'onmessage', {
    get: () => listener && dispatch,
    set: (newListener: Transport['onmessage']) => {
      listener = newListener;
    },
  });
  return transport;
}

/**
 * Delivers responses after the notifications that preceded them. The official client defers notifications but not
 * responses, so it would lose progress that arrives in one chunk with its response.
 */
export function withOrderedResponses<T extends Transport>(transport: T): T {
  return interceptMessages(transport, (message, deliver) => {
    if (isJSONRPCNotification(message)) return deliver(message);
    queueMicrotask(() => queueMicrotask(() => deliver(message)));
  });
}
