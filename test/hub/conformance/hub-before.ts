/** A hub of a real control plane before an upstream of tests. */
import type { Test } from 'tap';
import { listening } from '../../http/listening.ts';
import { connected } from '../connected.ts';
import { makeToken } from '../hub-people.ts';
import { adapter } from './adapter.ts';

const connection = 'up';

/** A hub with one connection: the address where the suite reaches it, and the token that the adapter sends. */
export async function hubBefore(t: Test, upstream: string): Promise<{ readonly url: string; readonly token: string }> {
  const { api, ana } = await connected(t);
  const { url: plane } = await listening(t, (request, env) => api.fetch(request, env));
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: connection, kind: 'http', url: upstream });
  const { token } = await makeToken(ana, 'acme');
  const { url } = await adapter(t, { url: new URL('/agent/mcp', plane).href, token, connection });
  return { url, token };
}
