/** Counts an agent's tools with a real call to the router. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { version } from '../../environment/version.ts';
import { vpError } from '../../errors/vp-error.ts';

/** Throws ROUTER_UNREACHABLE with the message of the router or the executor. */
export async function countTools(routerUrl: string, token: string, signal: AbortSignal): Promise<number> {
  const client = new Client({ name: 'vp-onboard', version });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(routerUrl), { requestInit });
  const options = { timeout: 10_000, signal: AbortSignal.any([signal, AbortSignal.timeout(15_000)]) };
  try {
    await client.connect(transport, options);
    const { tools } = await client.listTools({}, options);
    return tools.length;
  } catch (error) {
    signal.throwIfAborted();
    const problem = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);
    const cure = 'see `vp doctor`; the containers say more with `docker logs platform-router`';
    throw vpError('ROUTER_UNREACHABLE', { url: routerUrl, problem, cure });
  } finally {
    await client.close().catch(() => undefined);
  }
}
