import { type Client, createClient } from '../../src/client/client.ts';
import type { Fetch } from '../../src/client/transport.ts';
import { origin, type Served } from '../server/served.ts';

/** A client of an app in the same process, without sockets. */
export function clientOf(served: Pick<Served, 'fetch' | 'owner'>, token: string | undefined = served.owner): Client {
  const fetch: Fetch = (url, init) => served.fetch(new Request(url, init));
  return createClient({ baseUrl: `${origin}/`, token, fetch });
}
