/** Opens sockets for undici and others: names by our own resolver, interim responses made harmless. */
import { type LookupFunction, Socket } from 'node:net';
import type { buildConnector as ConnectorOptions } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import { acceptInterimResponses } from './interim-responses.ts';
import type { NameResolver } from './names/name-resolver.ts';

/** Opens a socket, with TLS where the origin says so. */
export type Connector = ReturnType<typeof buildConnector>;

/** When a silent peer gets the first probe, and how many fail before the connection counts as broken. */
export type KeepAlive = { readonly idleMs: number; readonly intervalMs: number; readonly probes: number };

/**
 * A name that is still being resolved when its socket is destroyed is given up. HTTP/1.1 only. Without `keepAlive`, the
 * system decides when a peer that has vanished is noticed, usually after hours or never.
 */
export function createConnector(
  resolver: NameResolver,
  options: ConnectorOptions.BuildOptions,
  keepAlive?: KeepAlive,
): Connector {
  // The connector starts the lookup before it returns the socket.
  let controller = new AbortController();
  const lookup = toLookup(resolver, () => controller.signal);
  const connect = buildConnector({ ...options, allowH2: false, lookup });
  return (target, callback) => {
    const own = new AbortController();
    controller = own;
    const socket = connect(target, (...result) => {
      if (result[1]) acceptInterimResponses(result[1]);
      if (keepAlive) result[1]?.setKeepAlive(true, keepAlive.idleMs, keepAlive.intervalMs, keepAlive.probes);
      callback(...result);
    });
    socket.once('close', () => own.abort());
    return socket;
  };
}

/** A socket whose method `connect(port, host)` resolves names by `resolver`. */
export function createResolvingSocket(resolver: NameResolver): Socket {
  const socket = new Socket();
  const controller = new AbortController();
  const lookup = toLookup(resolver, () => controller.signal);
  socket.once('close', () => controller.abort());
  const connect = socket.connect.bind(socket);
  return Object.assign(socket, { connect: (port: number, host: string) => connect({ port, host, lookup }) });
}

/** Resolves names by `resolver` until `signal` is aborted. */
export function createLookup(resolver: NameResolver, signal: AbortSignal): LookupFunction {
  return toLookup(resolver, () => signal);
}

function toLookup(resolver: NameResolver, getSignal: () => AbortSignal): LookupFunction {
  return (hostname, { all }, callback) => {
    resolver.resolve(hostname, getSignal()).then(
      (addresses) => {
        const [first] = addresses;
        if (all || !first) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
    );
  };
}
