import { type Client, createClient } from '../../src/client/client.ts';
import type { Fetch } from '../../src/client/transport/transport.ts';
import { origin, type TestServer } from '../server/test-server.ts';

/** A client of an app in the same process, without sockets. */
export function createTestClient(
  server: Pick<TestServer, 'fetch' | 'owner'>,
  token: string | undefined = server.owner,
): Client {
  const fetch: Fetch = (url, init) => server.fetch(new Request(url, init));
  return createClient({ baseUrl: `${origin}/`, token, fetch });
}
