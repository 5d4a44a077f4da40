/** The listener of the log reader: a unix socket that answers `GET /v1/tail` and nothing else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { asVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { type Listening, listen } from '../../http/listen.ts';
import type { Log } from '../../http/log.ts';
import { problemOf, problemResponse, problemType } from '../../http/problem.ts';
import type { Engine } from './engine-request.ts';
import { type TailQuery, tailQueryOf } from './tail-query.ts';
import { tail } from './tail-session.ts';

/** The socket's folder must exist. */
export type TailServerOptions = {
  readonly socketPath: string;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log & { info(fields: Readonly<Record<string, unknown>>, message: string): void };
};

/** `engineLost` resolves when the engine is away, which only a new start of the log reader mends. */
export type TailServer = { readonly url: string; readonly engineLost: Promise<VpError>; close(): Promise<void> };

const path = '/v1/tail';
const callersAtMost = 16;
const limits = { connections: 64, headerBytes: 8192, headerLines: 50, keepAliveMs: 5000 };

/** Starts to listen, for the user and the group of the socket. Rejects with LISTEN_*. */
export async function listenForTails(options: TailServerOptions): Promise<TailServer> {
  const { socketPath, clock, random, log } = options;
  const { promise: engineLost, resolve: lose } = Promise.withResolvers<VpError>();
  const closing = new AbortController();
  const callers = new Callers(options, closing.signal, lose);
  const listening: Listening = await listen({
    socketPath,
    mode: 0o660,
    clock,
    random,
    log,
    limits,
    handler: (request) => problemResponse(unknownRoute(request.method, new URL(request.url).pathname)),
    raw: { accepts: (asked) => asked === path, handle: (incoming, outgoing) => callers.serve(incoming, outgoing) },
  });
  return {
    url: listening.url,
    engineLost,
    async close() {
      closing.abort();
      await listening.close(1000);
    },
  };
}

class Callers {
  readonly #options: TailServerOptions;
  readonly #closing: AbortSignal;
  readonly #lose: (error: VpError) => void;
  #count = 0;

  constructor(options: TailServerOptions, closing: AbortSignal, lose: (error: VpError) => void) {
    this.#options = options;
    this.#closing = closing;
    this.#lose = lose;
  }

  serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    try {
      const { method = '', url = '' } = incoming;
      if (method !== 'GET') throw unknownRoute(method, path);
      if (this.#count >= callersAtMost) throw vpError('LOG_READER_BUSY', { count: this.#count });
      void this.#tail(tailQueryOf(url.slice(path.length + 1)), outgoing);
    } catch (error) {
      refuse(outgoing, asVpError(error));
    }
  }

  async #tail({ services, afterMs }: TailQuery, outgoing: ServerResponse): Promise<void> {
    const { engine, clock, log } = this.#options;
    const left = new AbortController();
    const leave = (): void => left.abort();
    outgoing.once('close', leave);
    this.#closing.addEventListener('abort', leave, { once: true });
    this.#count += 1;
    log.info({ services: services ?? 'all' }, 'a caller follows the logs');
    try {
      outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' }).flushHeaders();
      const write = (text: string): Promise<void> => written(outgoing, text);
      await tail({ engine, services, afterMs, clock, signal: left.signal, write });
    } catch (error) {
      this.#lose(asVpError(error));
    } finally {
      this.#count -= 1;
      this.#closing.removeEventListener('abort', leave);
      outgoing.end();
      log.info({}, 'a caller has left');
    }
  }
}

/** Resolves when more may be written, or nobody reads any more. */
async function written(outgoing: ServerResponse, text: string): Promise<void> {
  if (outgoing.destroyed || outgoing.write(text)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go).off('close', go);
      resolve();
    };
    outgoing.on('drain', go).on('close', go);
  });
}

function unknownRoute(method: string, asked: string): VpError {
  return vpError('LOG_READER_ROUTE', { method: method.slice(0, 20), path: asked.slice(0, 100) });
}

function refuse(outgoing: ServerResponse, error: VpError): void {
  outgoing.writeHead(error.row.status, { 'Content-Type': problemType }).end(JSON.stringify(problemOf(error)));
}
