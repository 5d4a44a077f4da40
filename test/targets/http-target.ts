/** A valid HTTP server with a handler of the test. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TlsOptions } from 'node:tls';
import { getPort } from './raw-target.ts';

/** A request as received, with header lines as written. */
export type ArrivedRequest = {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: string[];
  readonly body: string;
};

/** A listening target that records its requests. */
export type HttpTarget = {
  readonly origin: string;
  readonly arrived: ArrivedRequest[];
  /** May be replaced at any time. */
  handler: RequestHandler;
  close(): Promise<void>;
};

export type RequestHandler = (request: IncomingMessage, response: ServerResponse, arrived: ArrivedRequest) => void;

/** Listens on a free port; with `tls` over TLS, under the name `localhost`. */
export async function startHttpTarget(handler: RequestHandler, tls?: TlsOptions): Promise<HttpTarget> {
  const arrived: ArrivedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      const arrivedRequest = { method, url, rawHeaders, body: Buffer.concat(chunks).toString() };
      arrived.push(arrivedRequest);
      target.handler(request, response, arrivedRequest);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target: HttpTarget = {
    origin: tls ? `https://localhost:${getPort(server)}` : `http://127.0.0.1:${getPort(server)}`,
    arrived,
    handler,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return target;
}

export function respondWithJson(value: unknown, status = 200): RequestHandler {
  return (_request, response) => {
    const body = JSON.stringify(value);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
}

/** The value of the first received header `name`. */
export function getHeader({ rawHeaders }: ArrivedRequest, name: string): string | undefined {
  const index = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase());
  return index === -1 ? undefined : rawHeaders[index + 1];
}
