/** A target that speaks HTTP as it should, with a handler of the test. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TlsOptions } from 'node:tls';
import { portOf } from './raw-target.ts';

/** A request as it arrived, header lines as written. */
export type Arrived = {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: string[];
  readonly body: string;
};

/** A listening target that keeps what arrived. */
export type HttpTarget = {
  readonly origin: string;
  readonly arrived: Arrived[];
  /** May be replaced at any time. */
  answer: Answer;
  close(): Promise<void>;
};

/** Answers one request. */
export type Answer = (request: IncomingMessage, response: ServerResponse, arrived: Arrived) => void;

/** Listens on a free port; with `tls` over TLS, under the name `localhost`. */
export async function httpTarget(answer: Answer, tls?: TlsOptions): Promise<HttpTarget> {
  const arrived: Arrived[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      const one = { method, url, rawHeaders, body: Buffer.concat(chunks).toString() };
      arrived.push(one);
      target.answer(request, response, one);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target: HttpTarget = {
    origin: tls ? `https://localhost:${portOf(server)}` : `http://127.0.0.1:${portOf(server)}`,
    arrived,
    answer,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return target;
}

/** Answers with JSON. */
export function json(value: unknown, status = 200): Answer {
  return (_request, response) => {
    const body = JSON.stringify(value);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
}

/** The value of the first header `name` that arrived. */
export function headerIn({ rawHeaders }: Arrived, name: string): string | undefined {
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase());
  return at === -1 ? undefined : rawHeaders[at + 1];
}
