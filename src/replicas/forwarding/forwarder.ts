/**
 * Passes a request to another replica, and its response back, both as streams: event streams and large bodies take no memory
 * here, and the end of either side ends the other. A request is never sent twice from here: the caller of `forward` decides.
 */
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { hopHeaderName } from './hop-header.ts';
import { filterHeaders, hasBody } from './message-headers.ts';

/** A request with the means to answer it. `body` is set when it was read before: then the request can be sent again. */
export type PendingRequest = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body?: Uint8Array | undefined;
};

/**
 * `done`: a response was passed on, or one of its ends has left. `unsent`: nothing was sent, and the body was not read.
 * `lost`: the request was sent at least in part, and no response came.
 */
export type ForwardOutcome = 'done' | 'unsent' | 'lost';

export type ForwardTarget = {
  /** Base URL of the listener of the other replica. */
  readonly address: string;
  readonly hopHeader: string;
  /** Aborted when the other replica is known to be gone. */
  readonly lost: AbortSignal;
};

export type Forwarder = {
  forward(pending: PendingRequest, target: ForwardTarget): Promise<ForwardOutcome>;
  /** Whether a process answers at this address, on a connection that is opened for it. */
  isAnswering(address: string, signal: AbortSignal): Promise<boolean>;
  close(): void;
};

/** Shorter than the listener of the other replica keeps idle connections, so that none is used while it is closed. */
const idleMs = 20_000;
const maxIdleConnections = 64;

export function createForwarder(): Forwarder {
  const options = { keepAlive: true, timeout: idleMs, maxFreeSockets: maxIdleConnections };
  const agents = { http: new Agent(options), https: new SecureAgent(options) };
  return {
    forward: (pending, target) => new Transfer(pending, target, openRequest(agents, pending, target)).outcome,
    isAnswering,
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function openRequest(
  agents: { readonly http: Agent; readonly https: SecureAgent },
  { incoming }: PendingRequest,
  { address, hopHeader }: ForwardTarget,
): ClientRequest {
  const url = new URL(address);
  const { method, url: path, rawHeaders } = incoming;
  const headers = [...filterHeaders(rawHeaders, [hopHeaderName]), hopHeaderName, hopHeader];
  const options = { ...toHostAndPort(url), method, path, headers };
  return url.protocol === 'https:'
    ? requestHttps({ ...options, agent: agents.https, servername: url.hostname })
    : requestHttp({ ...options, agent: agents.http });
}

function toHostAndPort({ hostname, port }: URL): { readonly host: string; readonly port: string } {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

/** Any response will do: that of a replica which refuses the probe shows as well that it lives. */
function isAnswering(address: string, signal: AbortSignal): Promise<boolean> {
  const url = new URL(address);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const options = { ...toHostAndPort(url), path: '/healthz', agent: false, signal } as const;
  const request =
    url.protocol === 'https:' ? requestHttps({ ...options, servername: url.hostname }) : requestHttp(options);
  request.once('response', (response) => {
    resolve(true);
    response.destroy();
  });
  request.on('error', () => undefined);
  request.once('close', () => resolve(false));
  request.end();
  return promise;
}

/** One request on its way. Its outcome is settled once, by whichever end is first. */
class Transfer {
  readonly outcome: Promise<ForwardOutcome>;
  readonly #pending: PendingRequest;
  readonly #request: ClientRequest;
  readonly #lost: AbortSignal;
  readonly #settle: (outcome: ForwardOutcome) => void;
  readonly #onLost = (): void => void this.#request.destroy();
  readonly #onCallerClosed = (): void => this.#endByCaller();
  #isSent = false;
  #isAnswered = false;

  constructor(pending: PendingRequest, { lost }: Pick<ForwardTarget, 'lost'>, request: ClientRequest) {
    const { promise, resolve } = Promise.withResolvers<ForwardOutcome>();
    this.outcome = promise;
    this.#settle = resolve;
    this.#pending = pending;
    this.#request = request;
    this.#lost = lost;
    request.on('error', () => undefined);
    request.once('close', () => this.#onRequestClosed());
    request.once('response', (response) => this.#answer(response));
    request.once('socket', (socket) => {
      const ready = 'encrypted' in socket ? 'secureConnect' : 'connect';
      if (socket.connecting) socket.once(ready, () => this.#send());
      else this.#send();
    });
    pending.outgoing.once('close', this.#onCallerClosed);
    if (lost.aborted) request.destroy();
    else lost.addEventListener('abort', this.#onLost, { once: true });
  }

  #send(): void {
    if (this.#request.destroyed || this.#isSent) return;
    this.#isSent = true;
    const { body, incoming } = this.#pending;
    if (body === undefined && hasBody(incoming)) incoming.pipe(this.#request);
    else this.#request.end(body);
  }

  #answer(response: IncomingMessage): void {
    const { outgoing, incoming } = this.#pending;
    this.#isAnswered = true;
    // The other replica has set all headers.
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
    outgoing.sendDate = false;
    // Node frames the body anew, as the caller's version of HTTP needs it.
    const headers = filterHeaders(response.rawHeaders, ['transfer-encoding']);
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, headers);
    response.pipe(outgoing);
    // A body that came with them leaves in the same packet: of a response that is on its way, the caller needs the headers now.
    setImmediate(() => response.readableEnded || outgoing.destroyed || outgoing.flushHeaders());
    // What came is not the whole response.
    response.once('close', () => response.complete || outgoing.destroy());
    outgoing.once('finish', () => {
      if (incoming.complete) return;
      incoming.unpipe(this.#request);
      incoming.resume();
    });
  }

  /** The caller has left, or has the whole response. */
  #endByCaller(): void {
    if (!this.#pending.outgoing.writableFinished) this.#request.destroy();
    this.#end('done');
  }

  #onRequestClosed(): void {
    if (this.#isAnswered) return;
    this.#pending.incoming.unpipe(this.#request);
    this.#end(this.#isSent ? 'lost' : 'unsent');
  }

  #end(outcome: ForwardOutcome): void {
    this.#lost.removeEventListener('abort', this.#onLost);
    this.#pending.outgoing.off('close', this.#onCallerClosed);
    this.#settle(outcome);
  }
}
