/** Where a browser comes back to a program of a test. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Test } from 'tap';
import { portOf } from '../targets/raw-target.ts';

/** Listens at `/callback` for the length of a test; `came` resolves with the query. */
export async function callback(t: Test): Promise<{ came: Promise<URLSearchParams>; redirectUri: string }> {
  const { promise: came, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') resolve(url.searchParams);
    response.end('back at the program');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { came, redirectUri: `http://127.0.0.1:${portOf(server)}/callback` };
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
