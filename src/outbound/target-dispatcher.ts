/**
 * HTTP/1.1 to targets: connections are kept alive, and never go through a proxy.
 *
 * A target may close an idle connection in the very moment a request leaves on it. Such a request fails though nothing is
 * wrong, and nobody knows whether it was processed. Therefore
 * - a request with an unsafe method (RFC 9110 section 9.2.1) always opens its own connection, so it is never sent twice;
 * - a request with a safe method may use an open one, and is sent once more, on a new connection, when that one turns out
 *   closed before the first byte of an answer (RFC 9112 section 9.3.1);
 * - open connections are used again only within a second, or what the target itself announces less a margin.
 */
import type { Socket } from 'node:net';
import { type Connector, createConnector } from './connector.ts';
import { openHttp2Socket } from './http2-socket.ts';
import { createNameResolver, type NameResolver } from './names/name-resolver.ts';
import { TargetConnection, type TargetExchange } from './target-connection.ts';
import { createLazySecureContext } from './tls-roots.ts';
import type { WireListener, WireRequest, WireStage } from './wire.ts';

/** Ends a request: its listener receives no further events, and its connection is closed. */
export type AbortRequest = () => void;

/** Gets the connection, or why there is none. */
export type OnSocket = (error: Error | null, socket: Socket | null) => void;

/** Sends requests to targets. */
export type TargetDispatcher = {
  sendOnce(request: WireRequest, listener: WireListener): AbortRequest;
  /** Opens a connection for another protocol than HTTP; the callback gets either. */
  openSocket(origin: string, callback: OnSocket): AbortRequest;
  /** Opens a connection for HTTP/2. */
  openHttp2Socket(origin: string, callback: OnSocket): AbortRequest;
  /** Closes every connection that is not in use; those in use close when they end. */
  close(): void;
};

/** `extraRoots`: PEM certificates trusted besides the runtime's. */
export type TargetDispatcherOptions = { readonly extraRoots?: readonly string[]; readonly resolver?: NameResolver };

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);
/** More idle connections than this are closed instead of kept. */
const idlePerOrigin = 64;

/** A dispatcher with no connection yet. */
export function createTargetDispatcher(options: TargetDispatcherOptions = {}): TargetDispatcher {
  return new Connections(options);
}

function readOrigin(origin: string) {
  const { hostname, host, protocol, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  return {
    ...{ hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, isSecure },
    port: port || (isSecure ? '443' : '80'),
  };
}

class Connections implements TargetDispatcher {
  readonly #idle = new Map<string, TargetConnection[]>();
  readonly #connectors: Readonly<Record<'http' | 'https', () => Connector>>;
  readonly #resolver: NameResolver;
  readonly #secureContext: ReturnType<typeof createLazySecureContext>;
  #closed = false;

  constructor({ extraRoots = [], resolver = createNameResolver() }: TargetDispatcherOptions) {
    const plain = createConnector(resolver, { timeout: 0 });
    const context = createLazySecureContext(extraRoots);
    this.#resolver = resolver;
    this.#secureContext = context;
    let secure: Connector | undefined;
    this.#connectors = {
      http: () => plain,
      https: () => {
        secure ??= createConnector(resolver, { timeout: 0, secureContext: context() });
        return secure;
      },
    };
  }

  sendOnce(request: WireRequest, listener: WireListener): AbortRequest {
    const attempt = new Attempt(request, listener, this);
    attempt.start(safeMethods.has(request.method));
    return () => attempt.abort();
  }

  openSocket(origin: string, callback: OnSocket): AbortRequest {
    const target = readOrigin(origin);
    const connect = this.#connectors[target.isSecure ? 'https' : 'http']();
    const socket = connect(target, (error, connected) => callback(error, connected));
    return () => socket.destroy();
  }

  openHttp2Socket(origin: string, callback: OnSocket): AbortRequest {
    const { hostname, port, isSecure } = readOrigin(origin);
    const context = isSecure ? this.#secureContext() : undefined;
    const socket = openHttp2Socket({ hostname, port: Number(port) }, this.#resolver, context, callback);
    return () => socket.destroy();
  }

  /** A connection to `origin`; it may be open only when `open` is true. */
  take(origin: string, open: boolean): TargetConnection {
    const idle = this.#idle.get(origin)?.pop();
    if (!idle) return new TargetConnection(origin, this.#connectors[origin.startsWith('https:') ? 'https' : 'http']());
    if (!open) idle.renew();
    return idle;
  }

  giveBack(origin: string, connection: TargetConnection): void {
    const idle = this.#idle.get(origin) ?? [];
    if (this.#closed || idle.length >= idlePerOrigin) {
      connection.destroy();
      return;
    }
    idle.push(connection);
    this.#idle.set(origin, idle);
  }

  close(): void {
    this.#closed = true;
    for (const connection of [...this.#idle.values()].flat()) connection.destroy();
    this.#idle.clear();
  }
}

/** One request with, at most, its one repetition. */
class Attempt {
  readonly #request: WireRequest;
  readonly #listener: WireListener;
  readonly #connections: Connections;
  #connection: TargetConnection | undefined;
  #exchange: TargetExchange | undefined;

  constructor(request: WireRequest, listener: WireListener, connections: Connections) {
    this.#request = request;
    this.#listener = listener;
    this.#connections = connections;
  }

  start(mayReuse: boolean): void {
    const connection = this.#connections.take(this.#request.origin, mayReuse);
    this.#connection = connection;
    const listener = this.#listener;
    this.#exchange = connection.send(this.#request, {
      mayStart: (fresh) => listener.mayStart(fresh),
      onFirstByte: () => listener.onFirstByte(),
      onHead: (status, rawHeaders) => listener.onHead(status, rawHeaders),
      onData: (chunk) => listener.onData(chunk),
      onEnd: (surplusBytes) => {
        this.#connections.giveBack(this.#request.origin, connection);
        listener.onEnd(surplusBytes);
      },
      onBroken: (stage, error) => this.#broken(stage, error, mayReuse),
    });
  }

  abort(): void {
    this.#exchange?.mute();
    this.#connection?.destroy();
  }

  #broken(stage: WireStage, error: Error, mayReuse: boolean): void {
    this.#connection?.destroy();
    if (mayReuse && stage === 'sent' && this.#exchange?.reused && wasClosed(error)) this.start(false);
    else this.#listener.onBroken(stage, error);
  }
}

const closedCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** True when the other side ended the connection, in order or not. */
function wasClosed(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && closedCodes.has(error.code);
}
