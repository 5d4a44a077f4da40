/** A hub of a real control plane in front of a test upstream. */
import type { Test } from 'tap';
import { startListener } from '../../http/test-listener.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startAdapter } from './adapter.ts';

const connection = 'up';

/** A hub with one connection: the address for the suite, and the token that the adapter sends. */
export async function startConformanceHub(
  t: Test,
  upstream: string,
): Promise<{ readonly url: string; readonly token: string }> {
  const { api, ana } = await startTestHub(t);
  const { url: controlPlaneUrl } = await startListener(t, (request, env) => api.fetch(request, env));
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: connection, kind: 'http', url: upstream });
  const { token } = await createToken(ana, 'acme');
  const { url } = await startAdapter(t, { url: new URL('/agent/mcp', controlPlaneUrl).href, token, connection });
  return { url, token };
}
