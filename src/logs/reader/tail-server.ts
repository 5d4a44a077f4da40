/** The listener of the log reader: a unix socket that serves `GET /v1/tail` and nothing else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { toVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { type HttpListener, listen } from '../../http/listener/listen.ts';
import type { ListenerLog } from '../../http/log.ts';
import type { MountedPaths } from '../../http/mounted-paths.ts';
import { createProblemResponse, problemMediaType, toProblemBody } from '../../http/problem.ts';
import type { LogEngine } from './engine-request.ts';
import { parseTailQuery, type TailQuery } from './tail-query.ts';
import { tailLogs } from './tail-session.ts';

/** The socket's folder must exist. */
export type TailServerOptions = {
  readonly socketPath: string;
  readonly engine: LogEngine;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ListenerLog & { info(fields: Readonly<Record<string, unknown>>, message: string): void };
};

/** `engineLost` resolves when the engine is unreachable; the log reader must then be restarted. */
export type TailServer = { readonly url: string; readonly engineLost: Promise<VpError>; close(): Promise<void> };

const path = '/v1/tail';
/** Everything that the log reader serves. */
export const logReaderPaths: MountedPaths = {
  kind: 'mounted',
  name: 'log reader',
  methods: ['GET'],
  paths: [path],
  credential: 'none; only the user and the group of the socket can connect',
  accepts: (requestPath) => requestPath === path,
};
const maxCallers = 16;
const limits = { connections: 64, headerBytes: 8192, headerLines: 50, keepAliveMs: 5000 };

/** Listens for the user and the group of the socket. Rejects with LISTEN_*. */
export async function startTailServer(options: TailServerOptions): Promise<TailServer> {
  const { socketPath, clock, random, log } = options;
  const { promise: engineLost, resolve: reportLost } = Promise.withResolvers<VpError>();
  const closing = new AbortController();
  const tailCallers = new TailCallers(options, closing.signal, reportLost);
  const listening: HttpListener = await listen({
    socketPath,
    mode: 0o660,
    clock,
    random,
    log,
    limits,
    handler: (request) => createProblemResponse(createUnknownRouteError(request.method, new URL(request.url).pathname)),
    raw: [
      {
        accepts: logReaderPaths.accepts,
        handle: (incoming, outgoing) => tailCallers.serve(incoming, outgoing),
      },
    ],
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

class TailCallers {
  readonly #options: TailServerOptions;
  readonly #closing: AbortSignal;
  readonly #reportLost: (error: VpError) => void;
  #count = 0;

  constructor(options: TailServerOptions, closing: AbortSignal, reportLost: (error: VpError) => void) {
    this.#options = options;
    this.#closing = closing;
    this.#reportLost = reportLost;
  }

  serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    try {
      const { method = '', url = '' } = incoming;
      if (method !== 'GET') throw createUnknownRouteError(method, path);
      if (this.#count >= maxCallers) throw vpError('LOG_READER_BUSY', { count: this.#count });
      void this.#tail(parseTailQuery(url.slice(path.length + 1)), outgoing);
    } catch (error) {
      writeProblem(outgoing, toVpError(error));
    }
  }

  async #tail({ services, afterMs }: TailQuery, outgoing: ServerResponse): Promise<void> {
    const { engine, clock, log } = this.#options;
    const disconnected = new AbortController();
    const disconnect = (): void => disconnected.abort();
    outgoing.once('close', disconnect);
    this.#closing.addEventListener('abort', disconnect, { once: true });
    this.#count += 1;
    log.info({ services: services ?? 'all' }, 'a client follows the logs');
    try {
      outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' }).flushHeaders();
      const write = (text: string): Promise<void> => writeText(outgoing, text);
      await tailLogs({ engine, services, afterMs, clock, signal: disconnected.signal, write });
    } catch (error) {
      this.#reportLost(toVpError(error));
    } finally {
      this.#count -= 1;
      this.#closing.removeEventListener('abort', disconnect);
      outgoing.end();
      log.info({}, 'a client disconnected');
    }
  }
}

/** Resolves when more may be written, or the connection is closed. */
async function writeText(outgoing: ServerResponse, text: string): Promise<void> {
  if (outgoing.destroyed || outgoing.write(text)) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      outgoing.off('drain', finish).off('close', finish);
      resolve();
    };
    outgoing.on('drain', finish).on('close', finish);
  });
}

function createUnknownRouteError(method: string, requestPath: string): VpError {
  return vpError('LOG_READER_ROUTE', { method: method.slice(0, 20), path: requestPath.slice(0, 100) });
}

function writeProblem(outgoing: ServerResponse, error: VpError): void {
  outgoing.writeHead(error.row.status, { 'Content-Type': problemMediaType }).end(JSON.stringify(toProblemBody(error)));
}
