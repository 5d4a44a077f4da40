/** Calls of the onboarding to the services it has started: executor and router. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createObjectGuard } from '../../client/transport/json-response.ts';
import { createTransport } from '../../client/transport/transport.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { ProbeReport } from '../../onboarding/evidence-probe.ts';
import type { SendProbe } from '../../onboarding/target-probe.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';

/** A probe may take 15 s, and evidence some more. */
const timeoutMs = 45_000;
const statusTimeoutMs = 5000;

const isStatus = createObjectGuard<{ state: string }>('state');
const isReport = createObjectGuard<ProbeReport>('report_version', 'run_id', 'exchange');

/**
 * Lets the executor of this machine send a request now, without recording a run. Throws EXECUTOR_*, CREDENTIAL_INVALID, TARGET_NOT_PROBED with the reason why the
 * executor does not answer.
 */
export function createProbeSender({ variables }: Pick<Environment, 'variables'>): SendProbe {
  return async ({ port, key }, text, signal) => {
    const url = `http://127.0.0.1:${port}`;
    const fetch = await createOutboundFetch({ url, extraRoots: [], variables });
    const transport = createTransport({ baseUrl: url, token: key, fetch });
    try {
      // A process that is stopped or frozen would keep the probe waiting for its whole timeout.
      await transport.json({ method: 'GET', path: '/v1/status', timeoutMs: statusTimeoutMs, signal }, isStatus);
      return await transport.json({ method: 'POST', path: '/v1/probes', body: { text }, timeoutMs, signal }, isReport);
    } catch (error) {
      if (!(error instanceof VpError) || !/^(CONTROL_PLANE_|CREDENTIAL_|ROUTE_UNKNOWN)/.test(error.code)) throw error;
      const problem = `the executor does not answer as expected on ${url} (${error.message})`;
      const cure = 'run `vp onboard` again: it starts the executor with the key and the version of this machine';
      throw vpError('TARGET_NOT_PROBED', { problem, cure }, { cause: error });
    }
  };
}

/** Counts an agent's tools with a real call to the router. Throws ROUTER_UNREACHABLE with the message of the router or the executor. */
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
