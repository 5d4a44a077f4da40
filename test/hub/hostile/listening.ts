/** Listens on a port of its own for as long as a test lasts, and keeps what it was sent. */
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Test } from 'tap';

/** A server of a test. */
export type Served = {
  readonly url: string;
  /** The headers of each request, as they came. */
  readonly seen: Headers[];
  stop(): Promise<void>;
};

/** Serves `answer` at `/mcp`; `onRequest` is told of what is posted before that. */
export async function served(
  t: Pick<Test, 'teardown'>,
  answer: (request: Request) => Promise<Response> | Response,
  port = 0,
  onRequest?: (headers: Headers, body: Record<string, unknown>) => void,
): Promise<Served> {
  const seen: Headers[] = [];
  const server = createAdaptorServer({
    async fetch(request) {
      seen.push(new Headers(request.headers));
      if (!onRequest || request.method !== 'POST') return answer(request);
      const body = await request.text();
      onRequest(new Headers(request.headers), JSON.parse(body));
      const { url, headers, signal } = request;
      return answer(new Request(url, { method: 'POST', headers, body, signal }));
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  t.teardown(stop);
  return { url: `http://127.0.0.1:${address.port}/mcp`, seen, stop };
}
