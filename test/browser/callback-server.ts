/** The redirect URI of an OAuth client of a test. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Test } from 'tap';
import { getPort } from '../targets/raw-target.ts';

/** Listens at `/callback` for the duration of the test; `query` resolves with the query of the redirect. */
export async function startCallbackServer(t: Test): Promise<{ query: Promise<URLSearchParams>; redirectUri: string }> {
  const { promise: query, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') resolve(url.searchParams);
    response.end('back at the program');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { query, redirectUri: `http://127.0.0.1:${getPort(server)}/callback` };
}
