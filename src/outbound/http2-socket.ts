/** Opens sockets for HTTP/2 alone: without TLS by prior knowledge (RFC 9113, 3.3), with TLS where ALPN agrees on it (3.2). */
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { createLookup } from './connector.ts';
import type { NameResolver } from './names/name-resolver.ts';

/** The `code` of the error where the other side took another protocol. */
export const noHttp2Code = 'VP_NO_HTTP2';

export type Http2Target = { readonly hostname: string; readonly port: number };

type OnSocket = (error: Error | null, socket: Socket | null) => void;

/** `secureContext`: with TLS. The callback gets either; names are resolved by `resolver`. */
export function openHttp2Socket(
  { hostname, port }: Http2Target,
  resolver: NameResolver,
  secureContext: SecureContext | undefined,
  callback: OnSocket,
): Socket {
  const controller = new AbortController();
  const address = { host: hostname, port, lookup: createLookup(resolver, controller.signal) };
  const socket = secureContext
    ? connectTls({
        ...address,
        secureContext,
        ALPNProtocols: ['h2'],
        ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      })
    : connectSocket(address);
  socket.once('close', () => controller.abort());
  const onError = (error: Error): void => callback(error, null);
  socket.once('error', onError);
  socket.once(secureContext ? 'secureConnect' : 'connect', () => {
    socket.off('error', onError);
    if (!secureContext || negotiatedHttp2(socket)) callback(null, socket);
    else {
      socket.destroy();
      callback(createRefusal(), null);
    }
  });
  return socket;
}

function negotiatedHttp2(socket: Socket | TLSSocket): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

function createRefusal(): Error {
  return Object.assign(new Error('it did not agree on HTTP/2 in the TLS handshake'), { code: noHttp2Code });
}
